import type { RunEvents } from "../event.ts";
import { asRunId, showRunId } from "../id.ts";
import { type OperationState, operationId, type RunState } from "../state.ts";
import { demand } from "./demand.ts";

/** The attempt before all attempts of this run. */
const EARLIER = 0;

/**
 * F29. What stands for an operation of the run that this one resumes: attempt 0 of its step, so that it counts as one of an earlier attempt. Only
 * where keys are taken from that run too (`origin`), and never of what may be repeated freely.
 */
export function effect_inherited(state: RunState, data: RunEvents["effect_inherited"]): RunState {
  const { node, nth: call, key, called, outcome, run, performed, beside } = data;
  const { admitted, startedAt, at, head } = state;
  demand(state, "WOML_LOG_INHERITED", startedAt === null && admitted?.resumed !== undefined && admitted.origin !== undefined);
  demand(state, "WOML_LOG_INHERITED", called.effect.class !== "pure" && key !== "" && !state.byKey.has(key));
  demand(state, "WOML_LOG_INHERITED", call === 1 || state.operations.has(operationId(node, EARLIER, call - 1)));
  const id = operationId(node, EARLIER, call);
  demand(state, "WOML_LOG_INHERITED", !state.operations.has(id));
  const { capability, operation, name, inputDigest } = called;
  const inherited: OperationState = {
    ...{ node, attempt: EARLIER, call, key, called, capability, operation, name, inputDigest, seen: [], status: outcome.status },
    ...{ try: 1, by: "script", firstAt: at, tryAt: at, windowFrom: at, doubt: null, host: null, runsUntil: null },
    ...{
      unsent: { count: 0, since: null },
      isDoubtful: false,
      evidence: `${showRunId(asRunId(run))} had performed it`,
      settledAt: at,
      resolution: null,
      reused: null,
      answered: null,
      head,
    },
    ...(outcome.status === "succeeded"
      ? { result: outcome.result, failure: null, told: false }
      : { result: undefined, failure: outcome.failure, told: outcome.told }),
    inherited: { run, performed, beside },
  };
  return { ...state, operations: state.operations.with(id, inherited), byKey: state.byKey.with(key, [id]) };
}

/** F29. Beside what was done under a key nothing else matters: it is not dispatched any more. */
export function key_inherited(state: RunState, { node, key, windowFrom }: RunEvents["key_inherited"]): RunState {
  const { admitted, startedAt, at, byKey, windows } = state;
  demand(state, "WOML_LOG_INHERITED", startedAt === null && admitted?.resumed !== undefined && admitted.origin !== undefined);
  demand(state, "WOML_LOG_INHERITED", key !== "" && !byKey.has(key) && !windows.has(key) && windowFrom <= at);
  return { ...state, windows: windows.with(key, { node, windowFrom }) };
}
