import assert from "node:assert/strict";
import { test } from "node:test";
import { INPUT_LIST } from "../limits.ts";
import { ask, stubControl } from "./stub.ts";

const START = "mutation ($input: StartRunInput!) { startRun(input: $input) { duplicate } }";
const RUNS = "query ($status: [RunStatus!], $first: Int) { runs(status: $status, first: $first) { edges { cursor } } }";

test("what a variable holds too much of is said once, shortly and at once, however much of it there is", async (t) => {
  const { url } = await stubControl(t);
  const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`u${at}`, at]));
  const cases: readonly (readonly [string, object])[] = [
    [START, { input: { workflow: "w", ...unknown } }],
    [START, { input: { ...unknown } }],
    [START, { input: { workflow: unknown } }],
    [START, { input: { payload: unknown } }],
    [START, { input: { workflow: 1.5, payload: { text: "x".repeat(1_000_000) } } }],
    [START, { input: "x".repeat(1_000_000) }],
    [START, { input: [unknown] }],
    [START, { input: { workflow: "w", labels: Array.from({ length: INPUT_LIST + 1 }, () => "a") } }],
    [START, { input: { workflow: "w", labels: Array.from({ length: INPUT_LIST }, () => unknown["u1"]) } }],
    [RUNS, { status: Array.from({ length: 100_000 }, () => "FAILED") }],
    [RUNS, { first: unknown }],
    [RUNS, { status: "x".repeat(1_000_000) }],
  ];
  for (const [query, variables] of cases) {
    const began = process.cpuUsage();
    const { status, codes, errors } = await ask(url, query, variables);
    const about = JSON.stringify(variables).slice(0, 60);
    assert.deepEqual([status, codes[0]], [400, "WOML_QUERY_INVALID"], about);
    assert.ok(JSON.stringify(errors).length < 60_000, about);
    assert.ok(process.cpuUsage(began).user < 3_000_000, about);
  }
});

test("what fits is left to GraphQL: lists at their limit, a single value for a list, an absent one, null, any JSON", async (t) => {
  const { url } = await stubControl(t);
  const passes = async (query: string, variables: object): Promise<void> =>
    assert.deepEqual((await ask(url, query, variables)).codes, ["WOML_INTERNAL"], JSON.stringify(variables).slice(0, 60));
  await passes(RUNS, { status: Array.from({ length: INPUT_LIST }, () => "FAILED") });
  await passes(RUNS, { status: "FAILED", first: null });
  await passes(RUNS, { other: { deep: [[[[1]]]] } });
  await passes(START, { input: { workflow: "w", labels: null, payload: { any: { thing: [1, [2]], __proto: 1 } } } });
});
