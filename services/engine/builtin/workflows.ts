/** `services.workflows`: runs that a script asks for. Pure: judged by what was read of the target and of the run asked for (B3). */
import type { Json } from "@woml/model";
import { type Reached, reachedCode, reachedWords, type StoredChild } from "@woml/prisma";
import type { Called, OperationFailure, RunId, RunState } from "@woml/run";
import { CALL_DEPTH } from "../bounds.ts";
import { fault } from "./contract.ts";
import type { CallInput } from "./input.ts";

/** What is active under the id: `waits` where it holds an approval. */
export type Target = { readonly version: string; readonly waits: boolean } | { readonly missing: "none" | "unreadable" };
/** The run that a call asks for, what was asked for under its id before, and the digest of what is asked for now. */
export interface Wanted {
  readonly run: RunId;
  readonly stored: StoredChild | null;
  readonly digest: string;
  readonly target: Target;
  /** What keeps back a run that is not asked for yet. */
  readonly reached: Reached | null;
}
/** `null`: the operation stays open until the run has ended. */
type Performed = { readonly result: Json } | { readonly failure: OperationFailure } | null;

export function performWorkflows(
  state: RunState,
  { operation, input }: Called,
  { run, stored, digest, target, reached }: Wanted,
): Performed {
  const { id } = input as unknown as CallInput;
  if (stored === null) {
    const failure = refusal(state, operation, id, target);
    if (failure !== null) return { failure };
    if (reached !== null) return { failure: keptBack(reached) };
  } else if (stored.digest !== digest)
    return {
      failure: fault(
        "WOML_WORKFLOW_CALL_IDEMPOTENCY_CONFLICT",
        "This call has asked for another workflow, or with another payload, before.",
      ),
    };
  if (operation === "start") return { result: { workflowId: id, runId: `run_${run}`, duplicate: stored !== null } };
  return stored === null || stored.ended === null ? null : settled(id, stored.ended);
}

/** Nothing was asked for, and later there may be room. */
function keptBack(reached: Reached): OperationFailure {
  const message = `The run is not started: ${reachedWords(reached)}.`;
  return { code: reachedCode(reached), message, retryable: true, ambiguous: false };
}

/** What a run that has ended is for the call that waits for it. */
export function settled(id: string, ended: NonNullable<StoredChild["ended"]>): NonNullable<Performed> {
  if (ended === "refused") return { failure: fault("WOML_WORKFLOW_CALL_FAILED", `The run of ${id} could not be admitted.`) };
  if (ended.status === "succeeded") return { result: ended.result };
  if (ended.status === "cancelled") return { failure: fault("WOML_WORKFLOW_CALL_CANCELLED", `The run of ${id} was cancelled.`) };
  const { code, message } = ended.failure;
  return { failure: fault("WOML_WORKFLOW_CALL_FAILED", `The run of ${id} has failed with ${code}: ${message}`) };
}

/** All workflows above what a run asks for or emits, outermost first: a signal hands them on as a call does. */
export function lineageOf({ admitted }: RunState): readonly string[] {
  return admitted === null ? [] : [...((admitted.parent ?? admitted.signal)?.lineage ?? []), admitted.workflow];
}

function refusal(state: RunState, operation: string, id: string, target: Target): OperationFailure | null {
  const lineage = lineageOf(state);
  if (lineage.includes(id)) return fault("WOML_WORKFLOW_CALL_CYCLE", `${[...lineage, id].join(" → ")} calls itself.`);
  if (lineage.length > CALL_DEPTH)
    return fault("WOML_WORKFLOW_CALL_DEPTH_EXCEEDED", `${lineage.length} workflows stand above this call, and ${CALL_DEPTH} may.`);
  if ("missing" in target)
    return target.missing === "none"
      ? fault("WOML_WORKFLOW_TARGET_NOT_FOUND", `No version of a workflow ${id} is active.`)
      : fault("WOML_WORKFLOW_DEFINITION_MISMATCH", `The active version of ${id} cannot be run.`);
  if (target.waits && operation === "call")
    return fault("WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED", `${id} holds an approval, and nobody may wait for a person: start it instead.`);
  return null;
}
