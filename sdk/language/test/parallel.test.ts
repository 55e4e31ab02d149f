import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, step, workflow } from "./sources.ts";

const one = step("one");
const group = (more = "", body = step("a") + step("b")): string => `<parallel id="p"${more}>${body}</parallel>`;

for (const [name, steps] of [
  ["of one step", group("", step("a")) + one],
  ["that says what is so anyway", group(' on-error="fail-fast" concurrency="2"') + one],
  ["with every attribute", group(' name="N" description="D" on-error="wait-all" concurrency="1"') + one],
  ["last in a branch", `<fork id="f"><branch id="x">${group()}</branch></fork>${one}`],
] as const) {
  test(`a parallel group ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

for (const [code, steps, mark] of [
  ["PARALLEL_EMPTY", `<parallel id="p" />${one}`, '<parallel id="p" />'],
  ["PARALLEL_EMPTY", group(' concurrency="9"', "") + one, '<parallel id="p" concurrency="9">'],
  ...["0", "3", "-1", "1.0", "", "two", "99999999999999999999"].map(
    (count) => ["PARALLEL_INVALID_CONCURRENCY", group(` concurrency="${count}"`) + one, count] as const,
  ),
  ["PARALLEL_INVALID_POLICY", group(' on-error="Wait-All"') + one, "Wait-All"],
  ["PARALLEL_TERMINAL_UNSUPPORTED", one + group(), '<parallel id="p">'],
  ["STEP_OPERATION_COUNT", "<step id='a' />", "<step id='a' />"],
  ["STEP_OPERATION_COUNT", "<step id='a'><script/><script>2</script></step>", "<script>"],
] as const) {
  test(`${code} at ${mark}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("what is so anyway is not part of the definition", () => {
  const definitions = ["", ' on-error="fail-fast"', ' concurrency="2"'].map((more) => check(workflow(group(more) + one)).definition);
  for (const definition of definitions) assert.deepEqual(definition, definitions[0]);
  const { definition } = check(workflow(group(' on-error="wait-all" concurrency="1"') + one));
  assert.deepEqual(
    definition?.nodes.find(({ kind }) => kind === "parallel"),
    { kind: "parallel", id: "p", onError: "wait-all", concurrency: 1 },
  );
});
