import assert from "node:assert/strict";
import { it } from "node:test";
import type { Node } from "@woml/model";
import type { Prepared } from "../definitions.ts";
import { scriptFrame } from "../perform/script.ts";
import { define, Play } from "./play.ts";
import { TENANT } from "./stage.ts";

const RUN = { tenant: TENANT, run: "r" } as Parameters<typeof scriptFrame>[1]["key"];

const node = (id: string): Node => ({ kind: "step", id, script: { source: "", secrets: ["API_KEY"] } });

/** What is drawn from the seed of the run for one attempt: kind, and label joined to the seed. */
function drawn(id: string, attempt: number): Readonly<Record<string, string>> {
  const play = new Play(define({ nodes: [node("a"), node("b")], edges: [], result: "a" }));
  play.admit();
  const prepared: Prepared = {
    graph: play.graph,
    placed: (stack) => stack,
    place: () => ({ file: "f", line: 1, column: 1 }),
    digest: () => "d",
  };
  const drawn: Record<string, string> = {};
  const derive = (seed: string, label: string): string => {
    drawn[label.split(" ")[0] ?? ""] = `${seed}: ${label}`;
    return "0".repeat(64);
  };
  const made = scriptFrame(
    { world: { digest: (text) => text, derive }, parkAfterMs: 1 },
    { key: RUN, prepared, state: play.state, node: id, attempt },
  );
  assert.ok("chance" in made);
  return drawn;
}

it("chance and handles are drawn from the run's seed for one iteration of one node, all but identifiers for one attempt", () => {
  assert.deepEqual(drawn("a", 1), { math: "seed: math a - 1", crypto: "seed: crypto a -", secrets: "seed: secrets a - 1" });
  assert.deepEqual(drawn("b", 2), { math: "seed: math b - 2", crypto: "seed: crypto b -", secrets: "seed: secrets b - 2" });
});
