import assert from "node:assert/strict";
import type { Definition, Json, Node, Reference } from "@woml/model";
import { isAction } from "@woml/run";
import fc from "fast-check";
import { due } from "../due.ts";
import { type Ask, Play, threw } from "./play.ts";

/** What happens to a run, move by move; `pick` chooses among the attempts in flight, and among the approvals that wait. */
export interface Move {
  readonly what: "ok" | "fit" | "threw" | "crashed" | "engine" | "worker" | "wait" | "decide" | "cancel";
  readonly pick: number;
}
const often = { ok: 4, fit: 20, threw: 3, engine: 2, worker: 1, wait: 4, decide: 4, crashed: 1, cancel: 1 } as const;
export const arbitraryMoves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    what: fc.oneof(...Object.entries(often).map(([what, weight]) => ({ weight, arbitrary: fc.constant(what as Move["what"]) }))),
    pick: fc.nat(1_000),
  }),
  { maxLength: 60 },
);
/** `flag` is what tests, switches and loops without an output before them read. */
export const arbitraryPayload = fc.record({
  flag: fc.oneof(fc.boolean(), fc.constantFrom<Json>("when-0", "else", [], [{ id: 1 }, { id: 2 }, { id: 3 }])),
});

/**
 * Plays until the run ends: first the moves, then whatever is in flight does well and time passes. Answers all that was asked. Of `atOnce`
 * moves one takes a millisecond, and the others none.
 */
export function playMoves(definition: Definition, moves: readonly Move[], payload: Json, atOnce = 1) {
  const run = new Play(definition);
  const fits = fitting(definition.nodes);
  const asked: Ask[] = [];
  run.admit(payload);
  const last = ["fit", "decide", "wait"] as const;
  for (let turn = 0; run.state.ended === null; turn++) {
    assert.ok(turn < 5_000, "the run moves on");
    const ask = askOf(run, moves[turn] ?? { what: last[turn % last.length] ?? "wait", pick: turn }, fits);
    asked.push(ask);
    run.wait(turn % atOnce === 0 ? 1 : 0).do(ask);
  }
  return { play: run, asked };
}

function askOf(run: Play, { what, pick }: Move, fits: Fits): Ask {
  if (what === "cancel") return { kind: "cancel_run", request: "r" };
  const { waiting } = run.state;
  const approval = waiting[pick % Math.max(1, waiting.length)];
  const decision = pick % 3 === 0 ? "rejected" : "approved";
  if (what === "decide" && approval !== undefined)
    return { kind: "resolve_approval", node: approval, decision, by: "key_1", askedAt: run.now };
  const { run: flying, nextAt } = due(run.state, run.now);
  const target = flying[pick % Math.max(1, flying.length)];
  if (target === undefined || what === "wait" || what === "decide") {
    if (nextAt !== null) run.now = Math.max(run.now, pick % 2 === 0 || target === undefined ? nextAt : run.now);
    return { kind: "fire_timers" };
  }
  if (what === "engine" || what === "worker") return { kind: "resume_attempt", ...target, lost: what };
  const output = what === "ok" ? { pick } : outputFor(fits, target.node, pick);
  if (what === "ok" || what === "fit") return { kind: "report_attempt", ...target, outcome: { status: "succeeded", output, cpuMs: 1 } };
  const failure = what === "threw" ? threw : { code: "WOML_SCRIPT_TIMEOUT", kind: "wall_exceeded", message: "" };
  return { kind: "report_attempt", ...target, outcome: { status: "failed", failure, cpuMs: 1 } };
}

/** Ids whose output a loop, a switch or a test reads. */
export type Fits = { readonly [K in "items" | "text" | "test"]: ReadonlySet<string> };

export function fitting(nodes: readonly Node[]): Fits {
  const all = nodes.flatMap((node): readonly Node[] => (node.kind === "for-each" ? [node, ...node.body.nodes] : [node]));
  const read = (of: (node: Node) => readonly Reference[]): ReadonlySet<string> =>
    new Set(all.flatMap(of).flatMap(([root, id]) => (root === "steps" && id !== undefined ? [id] : [])));
  return {
    items: read((node) => (node.kind === "for-each" ? [node.items] : [])),
    text: read((node) => (node.kind === "switch" ? [node.value] : [])),
    test: read((node) => (node.kind === "select" ? node.arms.map(({ test }) => test) : [])),
  };
}

export function outputFor({ items, text, test }: Fits, site: string, pick: number): Json {
  if (isAction(site)) return { messageId: `m${pick}` };
  const [id = ""] = site.split("#");
  if (text.has(id)) return `when-${pick % 3}`;
  if (test.has(id) && pick % 2 > 0) return pick % 3 > 0;
  if (items.has(id)) return Array.from({ length: pick % 4 }, (_, id) => ({ id }));
  return pick % 3 > 0;
}
