// One document per construct, and beside it what the compiler makes of it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Findings } from "../../findings.ts";
import { type Bundle, compile, type Project } from "../../index.ts";
import { parse } from "../../parser.ts";
import type { Child } from "../../tree.ts";

const HERE = import.meta.dirname;
const PARTS = ["parts/add-tax.woml", "parts/my-chat.woml"];
const PRICES: Bundle = {
  exports: ["total"],
  text: "function total(lines) { return lines.length; }\nexport { total };\n",
  digest: `sha256:${"0".repeat(64)}`,
};
const PROJECT: Project = {
  files: new Map(PARTS.map((path) => [path, readFileSync(join(HERE, path), "utf8")])),
  modules: new Map([["parts/prices.ts", PRICES]]),
};

export const samples: readonly string[] = readdirSync(HERE)
  .filter((name) => name.endsWith(".woml"))
  .map((name) => name.replace(".woml", ""));

const sourceOf = (sample: string): string => readFileSync(join(HERE, `${sample}.woml`), "utf8");
export const placeOf = (sample: string): string => join(HERE, `${sample}.json`);

/** Tree, diagnostics and definition as the text that is kept. */
export function shown(sample: string, text: string = sourceOf(sample)): string {
  const root = parse(text, new Findings());
  const { diagnostics, definition } = compile({ path: `${sample}.woml`, text }, PROJECT);
  return `${JSON.stringify({ tree: root && outline(root, text), diagnostics, definition }, null, 1)}\n`;
}

/** `[name, [start, end], {attributes}, children]`; a text or a script's body is its text. */
function outline(child: Child, text: string): unknown {
  if (child.kind !== "element") return text.slice(child.range.start, child.range.end);
  const attributes = Object.fromEntries([...child.attributes.values()].map(({ name, value }) => [name, value]));
  const children = child.children.map((each) => outline(each, text)).filter((each) => typeof each !== "string" || each.trim() !== "");
  return [child.name, [child.range.start, child.range.end], attributes, ...(children.length > 0 ? [children] : [])];
}
