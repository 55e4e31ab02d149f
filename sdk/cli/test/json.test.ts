import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonPieces } from "../json.ts";

test("the pieces are what JSON.stringify says in one", () => {
  const deep = { a: [1, { b: [], c: {}, d: "x\ny" }], e: null, f: [[[1, [2]]], []], g: undefined, "": { h: { i: [true] } } };
  for (const value of [deep, [], {}, [deep, undefined, []], null, "text", 1, [[{}]]]) {
    assert.equal([...jsonPieces(value)].join(""), JSON.stringify(value, null, 2));
  }
});

test("no piece is longer than one step of a run needs", () => {
  const step = { id: "s", output: "x".repeat(1_000) };
  const pieces = [...jsonPieces({ steps: Array.from({ length: 50 }, () => step) })];
  assert.ok(Math.max(...pieces.map((piece) => piece.length)) < 1_100);
});
