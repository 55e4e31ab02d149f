// Random words as scripts: whatever they come to, an answer comes, its places are in the script, and what is taken is a definition.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bundle, compile } from "../index.ts";
import { step, workflow } from "./sources.ts";

const WORDS = [
  "services services.http.request services.db services.db({}).query services.telegram.send services.whatsapp.send services.workflows.call",
  "services.m services.m.f services.pay services.pay.charge services.nope secrets secrets.KEY lifecycle context context.steps context.steps.a",
  "context.payload context.item fetch process Bun globalThis require import eval typeof delete new await return const let var function class",
  "with for of in if else => = == ++ ... . ?. , ; : ( ) { } [ ] [ ] ( ) { } ` ' / + - ! 1 'x' `x` name botToken text template parameters",
  "get async props attempt this arguments constructor // /* */ a b",
].flatMap((line) => line.split(" "));
const NOISE = 2_000;
const SHAPED = 1_500;

/** Lehmer's generator: the same words in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
const bundle: Bundle = {
  exports: ["f"],
  text: "export function f() { return services.state.get('x'); }",
  digest: `sha256:${"0".repeat(64)}`,
};
const IMPORTS = '<imports><uses capability="acme.pay" version="^1" as="pay"/><module name="m" from="./m.ts"/></imports>';

function judged(body: string): boolean {
  const text = workflow(step("a", body)).replace("<woml>", `<woml>${IMPORTS}`);
  const { diagnostics, definition } = compile({ path: "flow.woml", text }, { files: new Map(), modules: new Map([["m.ts", bundle]]) });
  const start = text.indexOf("<script>") + "<script>".length;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  for (const { code, start: from, end: to } of errors) {
    assert.ok(
      (from?.offset ?? 0) >= start && (from?.offset ?? 0) <= start + body.length && (to?.offset ?? 0) >= (from?.offset ?? 0),
      `${code}: ${body}`,
    );
  }
  assert.equal(definition === null, errors.length > 0, body);
  return definition !== null;
}

test("words in any order", () => {
  const below = random(7);
  let taken = 0;
  for (let at = 0; at < NOISE; at++) {
    const words = Array.from({ length: 1 + below(12) }, () => WORDS[below(WORDS.length)] ?? "");
    if (judged(words.join(below(3) === 0 ? "" : " "))) taken += 1;
  }
  assert.ok(taken > NOISE / 50, `${taken} taken`);
});

test("expressions of any shape", () => {
  const below = random(11);
  const names = WORDS.filter(
    (word) =>
      /^[a-z]\w*(?:\.\w+)*$/i.test(word) &&
      !/^(?:new|of|in|if|else|let|var|const|for|get|with|class|function|return|delete|typeof|await|async|import|eval)$/.test(word),
  );
  const one = (depth: number): string => {
    const name = names[below(names.length)] ?? "a";
    if (depth === 0) return name;
    const inner = (): string => one(depth - 1);
    const shapes = [
      () => `${inner()}(${inner()}, ${inner()})`,
      () => `({ ${name.replaceAll(".", "_")}: ${inner()}, ...${inner()} })`,
      () => `[${inner()}, ${inner()}]`,
      () => `${inner()}[${inner()}]`,
      () => `(${name.replaceAll(".", "_")}x => ${inner()})`,
      () => `({ botToken: ${inner()}, name: ${inner()} })`,
      () => `services.telegram.send({ botToken: secrets.T, conversationId: ${inner()}, text: ${inner()} }, { name: ${inner()} })`,
      () => `services.workflows.call(${inner()}, ${inner()}, { timeout: ${inner()} })`,
      () => `(${inner()} ? ${inner()} : typeof ${inner()})`,
      () => `\`\u0024{${inner()}}\``,
    ];
    return (shapes[below(shapes.length)] ?? inner)();
  };
  let taken = 0;
  for (let at = 0; at < SHAPED; at++) if (judged(`const { a, b: [c] = [] } = ${one(below(4))}; return ${one(below(3))};`)) taken += 1;
  assert.ok(taken > SHAPED / 50, `${taken} taken`);
});
