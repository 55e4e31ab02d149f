import assert from "node:assert/strict";
import { test } from "node:test";
import { batched } from "../batch.ts";

test("keys asked for in one turn are loaded together, each once", async () => {
  const loads: string[][] = [];
  const load = batched(String, async (keys: readonly string[]) => {
    loads.push([...keys]);
    return keys.map((key) => key.toUpperCase());
  });
  assert.deepEqual(await Promise.all([load("a"), load("b"), load("a")]), ["A", "B", "A"]);
  assert.deepEqual(await Promise.all([load("b"), load("c")]), ["B", "C"]);
  assert.deepEqual(loads, [["a", "b"], ["c"]]);
});

test("a load that fails fails everybody in it, and nobody else", async () => {
  const load = batched(String, async (keys: readonly string[]) => {
    if (keys.includes("bad")) throw new Error("no");
    return keys;
  });
  const [one, two] = await Promise.allSettled([load("bad"), load("b")]);
  assert.equal(one?.status, "rejected");
  assert.equal(two?.status, "rejected");
  assert.equal(await load("c"), "c");
});
