/** `services.events`: signals that a script emits. Pure: judged by who listened when it was read; each start has a key of the call's (B3). */
import type { Json } from "@woml/model";
import type { Reached, Subscriber } from "@woml/prisma";
import { type Called, excessOf, type Heard, type OperationFailure, type RunId, type RunState, SIGNAL_LIMITS } from "@woml/run";
import { fault } from "./contract.ts";
import type { EmitInput } from "./input.ts";
import { lineageOf } from "./workflows.ts";

/** Who listens, what each makes of the signal, the run that it would start, and the id of what is written down of that. */
export interface Audience {
  /** The id of the publication: the key of the call. */
  readonly id: string;
  readonly heard: readonly (Heard<Subscriber> & { readonly run: RunId; readonly delivery: string })[];
  /** What keeps back the first of those that could start, and may not. */
  readonly reached: Reached | null;
}
type Performed = { readonly result: Json } | { readonly failure: OperationFailure };

export function performEvents(state: RunState, { input }: Called, { id, heard }: Audience): Performed {
  const { signal, payload } = input as unknown as EmitInput;
  const depth = lineageOf(state).length;
  if (depth > SIGNAL_LIMITS.depth) {
    const message = `${depth} workflows stand above this signal, and ${SIGNAL_LIMITS.depth} may.`;
    return { failure: fault("WOML_EVENT_DEPTH_EXCEEDED", message) };
  }
  const excess = excessOf(heard, payload);
  if (excess !== null) {
    const message = `The payload is ${excess} bytes for all that listen, and ${SIGNAL_LIMITS.bytes} are taken: hand on less, and a reference to the rest.`;
    return { failure: fault("WOML_EVENT_FANOUT_TOO_LARGE", message) };
  }
  const accepted = heard.filter(({ deaf }) => deaf === null).length;
  const rejected = heard.length - accepted;
  const status = rejected === 0 ? "accepted" : accepted === 0 ? "rejected" : "partial";
  const deliveries = heard.map(({ listener, deaf, run }): Json => {
    const of = { workflowId: listener.workflow, triggerId: listener.trigger };
    if (deaf === null) return { ...of, status: "accepted", runId: `run_${run}` };
    const { code, message, issues = [] } = deaf;
    return { ...of, status: "rejected", code, message, issues: issues.map((issue) => ({ path: issue.path, message: issue.message })) };
  });
  return { result: { publicationId: id, name: signal, accepted, duplicate: 0, rejected, status, depth, deliveries } };
}
