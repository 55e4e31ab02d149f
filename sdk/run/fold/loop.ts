import type { Json } from "@woml/model";
import type { RunEvents } from "../event.ts";
import { ledger } from "../ledger.ts";
import { siteIn } from "../site.ts";
import type { LoopState, RunState } from "../state.ts";
import { demand, demandGoing } from "./demand.ts";
import { forgotten } from "./forget.ts";
import { published } from "./output.ts";

export function loop_opened(state: RunState, { node, ...opened }: RunEvents["loop_opened"]): RunState {
  demandGoing(state);
  demand(state, "WOML_LOG_LOOP", !state.loops.has(node));
  const loop: LoopState = {
    ...{ ...opened, status: "open", next: 0, active: [], succeeded: 0, failed: 0, skipped: 0, failure: null },
    results: ledger(),
  };
  return { ...state, loops: state.loops.with(node, loop), looping: [...state.looping, node] };
}

export function iteration_started(state: RunState, { node, index }: RunEvents["iteration_started"]): RunState {
  demandGoing(state);
  const loop = open(state, node);
  demand(state, "WOML_LOG_LOOP", index === loop.next && index < loop.total && loop.failed === 0);
  demand(state, "WOML_LOG_LOOP", loop.active.length < loop.concurrency);
  return kept(state, node, { ...loop, next: index + 1, active: [...loop.active, index] });
}

/** What was done in it is not needed any more: only its result is kept. */
export function iteration_settled(state: RunState, data: RunEvents["iteration_settled"]): RunState {
  demand(state, "WOML_LOG_STOP", state.outcome === null && state.stop === null);
  const { node, index, status, result, failure } = data;
  const loop = open(state, node);
  demand(state, "WOML_LOG_LOOP", loop.active.includes(index) && (failure === null) === (status === "succeeded"));
  demand(state, "WOML_LOG_LOOP", (result !== undefined) === (loop.collects && status === "succeeded"));
  const sites = loop.nodes.map((id) => siteIn(id, index));
  demand(state, "WOML_LOG_LOOP", !state.open.some((site) => sites.includes(site)));
  const settled: LoopState = {
    ...loop,
    active: loop.active.filter((one) => one !== index),
    ...(status === "succeeded" ? { succeeded: loop.succeeded + 1 } : { failed: loop.failed + 1, failure: loop.failure ?? failure }),
    results: result === undefined ? loop.results : loop.results.with(String(index), result),
  };
  return kept(forgotten(measured(state, result), sites), node, settled);
}

export function iterations_skipped(state: RunState, { node, from, count }: RunEvents["iterations_skipped"]): RunState {
  const loop = open(state, node);
  demand(state, "WOML_LOG_LOOP", loop.failed > 0 && from === loop.next && from + count === loop.total);
  return kept(state, node, { ...loop, next: loop.total, skipped: count });
}

export function loop_settled(state: RunState, { node, status, failed }: RunEvents["loop_settled"]): RunState {
  const loop = open(state, node);
  const { active, next, total, succeeded } = loop;
  demand(state, "WOML_LOG_LOOP", active.length === 0 && next === total && failed === loop.failed);
  demand(state, "WOML_LOG_LOOP", (status === "succeeded") === (failed === 0));
  const settled = { ...state, looping: state.looping.filter((id) => id !== node) };
  const done = kept(settled, node, { ...loop, status, results: ledger() });
  if (status === "failed") return done;
  demandGoing(state);
  const results = loop.collects && total > 0 ? { results: inOrder(loop) } : {};
  return { ...done, outputs: done.outputs.with(node, { total, succeeded, ...results }) };
}

function inOrder({ results, total }: LoopState): readonly Json[] {
  return Array.from({ length: total }, (_, index) => results.get(String(index)) ?? null);
}

function measured(state: RunState, result: Json | undefined): RunState {
  return result === undefined ? state : { ...state, outputBytes: published(state, result) };
}

function open(state: RunState, node: string): LoopState {
  const loop = state.loops.get(node);
  demand(state, "WOML_LOG_LOOP", loop?.status === "open");
  return loop;
}

function kept(state: RunState, node: string, loop: LoopState): RunState {
  return { ...state, loops: state.loops.with(node, loop) };
}
