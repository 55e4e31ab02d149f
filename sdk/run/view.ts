import type { Json } from "@woml/model";
import type { Failure, RunEvent, RunEvents, RunEventType } from "./event.ts";
import { type FlowViews, flowViews } from "./flow-view.ts";
import { isShaped } from "./fold/shape.ts";
import { foldAll } from "./fold.ts";
import { asRunId, type RunId, showRunId, showVersionId } from "./id.ts";
import { type OperationView, operationViews, unresolved } from "./operation-view.ts";
import { project, type RunStatus, type Waiting, waitingHeld, waitingQueued, waitingStartAt } from "./projection.ts";
import { type StepView, stepViews } from "./step-view.ts";
import { iso } from "./time.ts";

/** What an API may show of a run. Times are ISO 8601 in UTC. */
export interface RunView extends FlowViews {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly status: RunStatus;
  readonly labels: readonly string[];
  readonly payload: Json;
  readonly result: Json;
  readonly failure: Failure | null;
  readonly waiting: Waiting | null;
  readonly steps: readonly StepView[];
  readonly operations: readonly OperationView[];
  /** Ids of operations whose outcome nobody knows, also when the run has ended. */
  readonly unresolvedEffects: readonly string[];
  /** The number of the last event: what a resolution has seen. */
  readonly head: number;
  readonly events: readonly EventView[];
}
/** `data` without what is secret (the seed), or says nothing of the run (its trace). */
export interface EventView {
  readonly seq: number;
  readonly type: RunEventType;
  readonly at: string;
  readonly data: Json;
}

/** What the run's row says and its log does not: why an engine stopped driving it, and since when (epoch ms). */
interface Viewed {
  readonly run: RunId;
  readonly held: string | null;
  readonly heldSince?: number;
}
/** A start request that no engine has consumed; `version` is the definition's hash, `since` and `startAt` (where it is to start later) epoch ms. */
interface QueuedRun {
  readonly run: RunId;
  readonly workflow: string;
  readonly version: string;
  readonly payload: Json;
  readonly labels: readonly string[];
  readonly since: number;
  readonly startAt?: number | null;
}
type Standing = Pick<RunView, "status" | "waiting">;

/** All that an API shows of an admitted run. A held run is not folded: its log may be what holds it. Throws BrokenLog for others. */
export function view(viewed: Viewed, events: readonly RunEvent[]): RunView {
  const admitted = admissionOf(events);
  const last = events.at(-1);
  return {
    id: showRunId(viewed.run),
    workflow: admitted.workflow,
    version: showVersionId(admitted.version),
    ...standing(viewed, events),
    labels: admitted.labels,
    payload: admitted.payload,
    result: last?.type === "run_succeeded" ? last.data.result : null,
    failure: last?.type === "run_failed" ? last.data.failure : null,
    steps: stepViews(events),
    ...flowViews(events),
    ...effectsOf(events),
    head: last?.seq ?? 0,
    events: eventViews(events),
  };
}

/** The same of a run that is not admitted yet. */
export function queuedView({ run, workflow, version, payload, labels, since, startAt = null }: QueuedRun): RunView {
  const nothing = { result: null, failure: null, steps: [], ...flowViews([]), operations: [], unresolvedEffects: [], head: 0, events: [] };
  const waiting = startAt === null ? waitingQueued(since) : waitingStartAt(since, startAt);
  return { id: showRunId(run), workflow, version: showVersionId(version), status: "queued", waiting, labels, payload, ...nothing };
}

export function effectsOf(events: readonly RunEvent[]): Pick<RunView, "operations" | "unresolvedEffects"> {
  const operations = operationViews(events);
  return { operations, unresolvedEffects: unresolved(operations) };
}

export function eventViews(events: readonly RunEvent[]): readonly EventView[] {
  return events.map((event) => ({ seq: event.seq, type: event.type, at: iso(event.at), data: shown(event) }));
}

function standing({ held: reason, heldSince }: Viewed, events: readonly RunEvent[]): Standing {
  if (reason !== null) return { status: "waiting", waiting: waitingHeld(reason, heldSince ?? events.at(-1)?.at ?? 0) };
  const { status, waitingFor } = project(foldAll(events));
  return { status, waiting: waitingFor };
}

function admissionOf(events: readonly RunEvent[]): RunEvents["run_admitted"] {
  const first = events[0];
  if (first?.type !== "run_admitted") throw new Error("a log begins with run_admitted");
  return first.data;
}

/** Of a log that is broken: whatever stands there. */
function shown(event: RunEvent): Json {
  const stored: Json | object = event.data;
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) return stored;
  const { seed: _, trace: __, ...data }: { readonly seed?: string; readonly trace?: string } & object = stored;
  return { ...data, ...runsIn(event) } as Json;
}

/** Other runs that an event names, as an API spells them. */
function runsIn(event: RunEvent): object {
  if (!isShaped(event)) return {};
  const named = (run: string): string => showRunId(asRunId(run));
  if (event.type === "effect_inherited") return { run: named(event.data.run) };
  if (event.type !== "run_admitted") return {};
  const { parent, resumed, origin, rerunOf } = event.data;
  return {
    ...(parent && { parent: { ...parent, run: named(parent.run) } }),
    ...(resumed && { resumed: { ...resumed, run: named(resumed.run) } }),
    ...(origin && { origin: named(origin) }),
    ...(rerunOf && { rerunOf: named(rerunOf) }),
  };
}
