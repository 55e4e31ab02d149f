import { hash } from "node:crypto";
import type { Text } from "../shelf.ts";

/** A bundle as sdk/modules writes one, of a body that declares these functions; `waiting`: it may await before it is there. */
export function bundled(body: string, ...names: readonly string[]): Text {
  const offers = ["__proto__: null", ...names.map((name) => `get "${name}"() { return ${name}; }`)];
  return whole(`const source0 = (() => {\n${body}\nreturn { ${offers.join(", ")} };\n})();\n`, names);
}
export function waiting(body: string, ...names: readonly string[]): Text {
  const offers = ["__proto__: null", ...names.map((name) => `get "${name}"() { return ${name}; }`)];
  return whole(
    `const source0 = (await (async () => {\n${body}\nreturn { __proto__: null, names: { ${offers.join(", ")} } };\n})()).names;\n`,
    names,
  );
}
function whole(body: string, names: readonly string[]): Text {
  const list = `{ ${names.join(", ")} }`;
  return named(`${body}const ${list} = source0;\nexport ${list};\n`);
}
export const named = (text: string): Text => ({ digest: `sha256:${hash("sha256", text)}`, text });
