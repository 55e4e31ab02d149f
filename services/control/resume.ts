// INVARIANTS
// U1 A run that has ended is resumed once with its own payload: the second run has its keys, and a third beside that would not know what it did.
// U2 With another payload effects happen once more, and only those that whoever asks has named.
// U3 Nobody's decision about one payload stands for another.
// U4 Who asked is written in the same transaction as the request. The engine reads what is taken over itself, and judges again.
import { SHARED } from "@woml/boot";
import { accept, type Graph, graph, type Json } from "@woml/model";
import type { RequestRow, TenantScope } from "@woml/prisma";
import {
  type Inheritance,
  inherit,
  inheritsApproval,
  type RunId,
  type RunState,
  remembering,
  repeated,
  samePayload,
  showRunId,
} from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { runIdOf } from "./ids.ts";
import { readLogs } from "./log.ts";
import { acceptKey, acceptPayload } from "./payload.ts";
import { findRun, type RunSource } from "./run-source.ts";
import { type Begun, begin, runOf, type Successor } from "./successor.ts";

export interface ResumeRunInput {
  readonly run: string;
  readonly from: string;
  readonly payload?: unknown;
  readonly acknowledgeEffects?: readonly string[] | null;
  readonly idempotencyKey?: string | null;
}
/** A run that has ended: its log says nothing else any more. */
interface Ended {
  readonly run: RunId;
  readonly graph: Graph;
  readonly state: RunState;
  readonly admitted: NonNullable<RunState["admitted"]>;
}

export async function resumeRun(asking: Asking, input: ResumeRunInput): Promise<Begun> {
  const key = acceptKey(input.idempotencyKey);
  const ended = await endedRun(asking, runIdOf(input.run));
  const taken = takenOver(ended, input.from);
  const payload = input.payload === undefined || input.payload === null ? ended.admitted.payload : acceptPayload(input.payload);
  const isSame = samePayload(payload, ended.admitted.payload);
  const named = input.acknowledgeEffects ?? [];
  const acknowledged = isSame ? known([], named) : acknowledge(ended, taken.from, named);
  const successor = await successorOf(asking, ended, { from: taken.from, payload, acknowledged });
  const begun = await withTenant(asking, (scope) => (isSame ? once(scope, successor) : anew(scope, { ...successor, key })));
  asking.doorbell.ring(SHARED);
  return begun;
}

async function endedRun(asking: Asking, run: RunId): Promise<Ended> {
  const found = await withTenant(asking, (scope) => findRun(scope, run));
  if (found === null) throw new ApiError("WOML_RUN_NOT_FOUND", "there is no such run");
  if (found.endedAt === null) throw new ApiError("WOML_RUN_NOT_ENDED", "the run has not ended: a run that goes on is not resumed");
  if (found.asked !== null) throw new ApiError("WOML_RESUME_NOT_REACHED", "the run was never admitted: start it anew");
  const events: TenantScope["events"] = (asks) => withTenant(asking, (scope) => scope.events(asks));
  const [state] = await readLogs({ events }, [found], remembering);
  if (typeof state !== "object" || state.admitted === null)
    throw new ApiError("WOML_RESUME_LOG_BROKEN", `the run's log cannot be read: ${state}`);
  return { run, state, admitted: state.admitted, graph: await graphOf(asking, found) };
}

async function graphOf({ reads }: Asking, { version }: RunSource): Promise<Graph> {
  const row = await reads.version(version);
  const accepted = row === null ? null : accept(JSON.parse(row.definition));
  if (accepted === null || "violations" in accepted) throw new ApiError("WOML_RESUME_LOG_BROKEN", "the run's definition cannot be read");
  return graph(accepted.definition);
}

const FROM_CHARACTERS = 256;
/** Of what was named and is not there, so much is said again. */
const NAMES = 20;
const NAME_CHARACTERS = 256;

function takenOver({ graph, state, run }: Ended, from: string): Inheritance {
  if (from.length > FROM_CHARACTERS) throw new ApiError("WOML_RESUME_FROM_INVALID", "that is no id of a step");
  const taken = inherit(graph, state, { run, from });
  if (!("fault" in taken)) return taken;
  throw new ApiError(taken.fault, taken.message, taken.operations === undefined ? {} : { operations: taken.operations });
}

/** U2, U3. Answers the operations that will be performed once more. */
function acknowledge({ graph, state }: Ended, from: string, named: readonly string[]): readonly string[] {
  const approval = inheritsApproval(graph, from);
  if (approval !== null) {
    const message = `somebody has decided ${approval} for another payload: begin no later than there, or start a new run`;
    throw new ApiError("WOML_RESUME_APPROVAL_INHERITED", message);
  }
  const effects = repeated(graph, state, from);
  const missing = effects.filter((id) => !named.includes(id));
  if (missing.length === 0) return known(effects, named);
  const message = `with another payload these effects happen once more; name each (\`acknowledgeEffects\`, or --acknowledge): ${missing.join(", ")}`;
  throw new ApiError("WOML_RESUME_EFFECTS_UNACKNOWLEDGED", message, { operations: missing });
}

/** Whoever names what will not happen once more means something else than what will: another run, or another place to begin. */
function known(effects: readonly string[], named: readonly string[]): readonly string[] {
  const strange = named.filter((id) => !effects.includes(id)).map((id) => id.slice(0, NAME_CHARACTERS));
  if (strange.length === 0) return effects;
  const message = `these do not happen once more, so there is nothing to acknowledge: ${strange.slice(0, NAMES).join(", ")}`;
  throw new ApiError("WOML_RESUME_EFFECTS_STRANGE", message, { operations: strange.slice(0, NAMES) });
}

interface Wanted {
  readonly from: string;
  readonly payload: Json;
  readonly acknowledged: readonly string[];
}

async function successorOf(asking: Asking, { run, admitted }: Ended, wanted: Wanted): Promise<Omit<Successor, "key">> {
  const { from, payload, acknowledged } = wanted;
  const { workflow, version, trigger, labels } = admitted;
  const { trace, who } = asking;
  const onAmbiguous = await withTenant(asking, (scope) => scope.onAmbiguous());
  const extras = { ...(onAmbiguous === null ? {} : { onAmbiguous }), ...(trace === null ? {} : { trace }) };
  const body: Json = { kind: "start", workflow, version, trigger, payload, labels, resumed: { run, from }, ...extras };
  const detail = { from, acknowledged };
  return { of: run, how: "resume", digest: digestOf({ from, payload }), body, by: who.key, detail };
}

/** Requests that an engine refused leave the place of the next one free; more often than this nobody asks in earnest. */
const PLACES = 100;

/** U1. */
async function once(scope: TenantScope, successor: Omit<Successor, "key">): Promise<Begun> {
  for (let place = 1; place <= PLACES; place++) {
    const { row, created } = await begin(scope, { ...successor, key: `same#${place}` });
    if (!created && (await wasRefused(scope, row))) continue;
    if (created || row.digest === successor.digest) return { run: await runOf(scope, row), duplicate: !created };
    const message = `it is resumed by ${showRunId(row.run)} already, from elsewhere: resume that one when it has ended`;
    throw new ApiError("WOML_RUN_ALREADY_RESUMED", message, { run: showRunId(row.run) });
  }
  throw new ApiError("WOML_RUN_ALREADY_RESUMED", "it was refused too often: start a new run");
}

/** By an engine, before or with its admission: it has begun nothing. */
async function wasRefused(scope: TenantScope, { run, consumedAt, answer }: RequestRow): Promise<boolean> {
  if (consumedAt !== null && answer !== null) return true;
  const [events] = await scope.events([{ run, after: 1, limit: 1, maxBytes: 1 }]);
  return events?.[0]?.type === "outcome_decided";
}

async function anew(scope: TenantScope, successor: Successor): Promise<Begun> {
  const key = successor.key === null ? null : `key:${successor.key}`;
  const { row, created } = await begin(scope, { ...successor, key });
  if (created || row.digest === successor.digest) return { run: await runOf(scope, row), duplicate: !created };
  throw new ApiError("WOML_IDEMPOTENCY_CONFLICT", "this idempotency key was used for another request: take a new key");
}
