import type { Json } from "@woml/model";
import type { EffectTerms, OperationFailure, RunEvent, RunEvents } from "./event.ts";
import { isShaped } from "./fold/shape.ts";
import { asRunId, showRunId } from "./id.ts";
import { type OperationState, operationId } from "./state.ts";
import { iso } from "./time.ts";

/** One operation of one attempt. Times are ISO 8601 in UTC. What it was given and gave holds handles where there were secrets. */
export interface OperationView {
  /** `node:attempt:call` */
  readonly id: string;
  readonly step: string;
  readonly attempt: number;
  readonly call: number;
  readonly capability: string;
  readonly operation: string;
  readonly name: string | null;
  /** The digest of the plugin release; null for a call that was refused. */
  readonly release: string | null;
  readonly class: EffectTerms["class"] | null;
  readonly outcome: OperationState["status"];
  /** For an unknown one: its script was told, so nobody is asked. */
  readonly told: boolean;
  /** Dispatches, and who asked for the last: the script, the platform's recovery, or a person. */
  readonly tries: number;
  readonly by: OperationState["by"];
  /** When it came into its outcome. */
  readonly since: string;
  readonly startedAt: string;
  readonly settledAt: string | null;
  /** In words: how its outcome is known, or why it is doubted. */
  readonly evidence: string;
  /** The attempt that had performed it; 0: an earlier run. */
  readonly reused: number | null;
  /** Of a call or start of another workflow: the run that it asked for, as the API shows it. */
  readonly child?: string;
  /** Null for a call that was refused. */
  readonly input: Json;
  readonly result: Json;
  readonly failure: OperationFailure | null;
}

/** The operations of a run in the order of their first start, from its events alone. Needs no legal log. */
export function operationViews(events: readonly RunEvent[]): readonly OperationView[] {
  const views = new Map<string, OperationView>();
  for (const event of events.filter(isShaped)) {
    const { type, data } = event;
    if (type === "operation_started" && data.called !== null) add(views, started(data, data.called, event.at));
    else if (type === "operation_refused") add(views, refused(data, event.at));
    else if (type === "operation_started") change(views, data, againOf(data, event.at));
    else if (type === "operation_doubted") change(views, data, { outcome: "doubted", since: iso(event.at), evidence: data.detail });
    else if (type === "operation_settled") change(views, data, settledOf(data, event.at));
    else if (type === "outcome_resolved" && data.call !== null) change(views, { ...data, call: data.call }, resolvedOf(data, event.at));
  }
  return [...views.values()];
}

/** Ids of operations whose outcome nobody knows, also when the run has ended. */
export function unresolved(operations: readonly OperationView[]): readonly string[] {
  return operations.filter(({ outcome }) => outcome === "unknown").map(({ id }) => id);
}

type Change = Partial<OperationView>;
type Calling = Pick<RunEvents["operation_started"], "node" | "attempt" | "call">;

function add(views: Map<string, OperationView>, view: OperationView): void {
  views.set(view.id, view);
}

function change(views: Map<string, OperationView>, { node, attempt, call }: Calling, to: Change): void {
  const id = operationId(node, attempt, call);
  const view = views.get(id);
  if (view !== undefined) views.set(id, { ...view, ...to });
}

function opened({ node: step, attempt, call }: Calling, at: number) {
  const times = { since: iso(at), startedAt: iso(at), settledAt: null };
  const nothing = { told: false, evidence: "", reused: null, result: null, failure: null };
  return { id: operationId(step, attempt, call), step, attempt, call, ...times, ...nothing } satisfies Change;
}

function started(data: RunEvents["operation_started"], called: NonNullable<typeof data.called>, at: number): OperationView {
  const { capability, operation, name, release, effect, input } = called;
  const what = { capability, operation, name, release, class: effect.class, input };
  const child = called.child === undefined ? {} : { child: showRunId(asRunId(called.child.run)) };
  return { ...opened(data, at), ...what, ...child, outcome: "open", tries: data.try, by: data.by, reused: data.reused };
}

function refused(data: RunEvents["operation_refused"], at: number): OperationView {
  const { capability, operation, name, failure } = data;
  const what = { capability, operation, name, release: null, class: null, input: null, failure };
  return { ...opened(data, at), ...what, outcome: "refused", tries: 0, by: "script", settledAt: iso(at) };
}

function againOf(data: RunEvents["operation_started"], at: number): Change {
  const again = { outcome: "open", tries: data.try, by: data.by, since: iso(at) } as const;
  return { ...again, settledAt: null, evidence: "", failure: null, told: false };
}

function settledOf({ outcome, evidence }: RunEvents["operation_settled"], at: number): Change {
  const settled = { outcome: outcome.status, evidence, since: iso(at), settledAt: iso(at) };
  if (outcome.status === "succeeded") return { ...settled, result: outcome.result, failure: null };
  return { ...settled, failure: outcome.failure, told: outcome.status === "unknown" && outcome.told };
}

function resolvedOf({ verdict }: RunEvents["outcome_resolved"], at: number): Change {
  if (verdict.status === "retry") return {};
  const resolved = { outcome: verdict.status, evidence: BY_PERSON, since: iso(at), settledAt: iso(at) };
  if (verdict.status === "succeeded") return { ...resolved, result: verdict.result, failure: null };
  return { ...resolved, failure: failureBy(verdict.message) };
}

/** How an outcome is known that a person gave, and the failure that a script is told then. Also what fold says. */
export const BY_PERSON = "a person said so";
export function failureBy(message: string): OperationFailure {
  return { code: "WOML_OPERATION_FAILED", message, retryable: false, ambiguous: false };
}
