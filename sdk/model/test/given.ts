import assert from "node:assert/strict";
import { accept, type Definition, type Violation } from "../index.ts";

/** Two steps, a choice of two arms (one holds a parallel of two), and a last step; fresh each time, free to be changed. */
export function flow(): Definition {
  const script = () => ({ source: "return 1;" });
  return {
    schemaVersion: 1,
    workflow: { id: "order-router" },
    triggers: [{ id: "go", kind: "manual" }],
    nodes: [
      { kind: "step", id: "a", script: script() },
      { kind: "select", id: "c:select", choice: "c", arms: [{ arm: "big", test: ["steps", "a", "big"] }], otherwise: "small" },
      { kind: "open", id: "p:open", parallel: "p" },
      { kind: "step", id: "x", script: script() },
      { kind: "step", id: "y", script: script() },
      { kind: "parallel", id: "p" },
      { kind: "step", id: "z", script: script() },
      {
        kind: "choice",
        id: "c",
        results: [
          { arm: "big", value: ["steps", "x"] },
          { arm: "small", value: ["steps", "z"] },
        ],
      },
      { kind: "step", id: "e", script: { ...script(), needs: { payload: true, steps: ["a", "c"] } } },
    ],
    edges: [
      { from: "a", to: "c:select" },
      { from: "c:select", to: "p:open", arm: "big" },
      { from: "p:open", to: "x" },
      { from: "p:open", to: "y" },
      { from: "x", to: "p" },
      { from: "y", to: "p" },
      { from: "p", to: "c" },
      { from: "c:select", to: "z", arm: "small" },
      { from: "z", to: "c" },
      { from: "c", to: "e" },
    ],
    result: "e",
  };
}

export function accepted(value: unknown): Definition {
  const answer = accept(value);
  assert.ok("definition" in answer, JSON.stringify(answer));
  return answer.definition;
}

export function refused(value: unknown): readonly Violation[] {
  const answer = accept(value);
  assert.ok("violations" in answer, "accepted");
  assert.deepEqual(answer, accept(value));
  return answer.violations;
}
