// INVARIANTS
// R1 Only what is unknown and waits for a person is resolved, and only by somebody who has seen the last that happened to it.
// R2 What a person says an operation answered fits the schema of the very release that it was dispatched to.
// R3 Nothing is performed again before "not found" would be proof: until then the first dispatch may still land.
// R4 Who said what is written in the same transaction as the request itself. Of two that contradict each other the first one stands.
import { randomUUID } from "node:crypto";
import type { Json } from "@woml/model";
import type { Submitted, TenantScope } from "@woml/prisma";
import { type RunId, type RunState, showRunId, type Verdict } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { operationOf, runIdOf } from "./ids.ts";
import { readLogs } from "./log.ts";
import { acceptReason } from "./reason.ts";
import { findRun, type RunSource } from "./run-source.ts";
import { acceptOutput, acceptResult } from "./said-result.ts";
import { findUnknown, type Unknown } from "./unknown.ts";

export interface ResolveUnknownInput {
  readonly run: string;
  readonly operation: string;
  readonly expectedHead: number;
  readonly outcome: "SUCCEEDED" | "FAILED" | "RETRY";
  readonly result?: unknown;
  readonly message?: string | null;
}

export async function resolveUnknown(asking: Asking, input: ResolveUnknownInput): Promise<RunSource> {
  const run = runIdOf(input.run);
  const named = operationOf(input.operation);
  const reason = typeof input.message === "string" ? acceptReason(input.message, "/message") : null;
  if (input.outcome !== "SUCCEEDED" && input.result !== undefined && input.result !== null) {
    throw new ApiError("WOML_RESOLUTION_RESULT_INVALID", "a result is taken only with SUCCEEDED");
  }
  const { found, state } = await read(asking, run);
  const unknown = findUnknown(state, named, input.expectedHead);
  const verdict = await accepted(asking, { unknown, input, reason });
  const wanted: Resolving = { run, id: input.operation, unknown, verdict, expectedHead: input.expectedHead, reason };
  await withTenant(asking, (scope) => write(scope, wanted, asking.who.key));
  asking.doorbell.ring(found.queue);
  return found;
}

/** The run, admitted, not ended, and driven by somebody. */
async function standing(asking: Asking, run: RunId): Promise<RunSource> {
  const found = await withTenant(asking, (scope) => findRun(scope, run));
  if (found === null) throw new ApiError("WOML_RUN_NOT_FOUND", "there is no such run");
  if (found.endedAt !== null) throw new ApiError("WOML_RUN_ALREADY_TERMINAL", `the run has ended: ${found.status}`);
  if (found.waiting?.cause === "held")
    throw new ApiError("WOML_RUN_HELD", "the run is held, so that nobody would act on it: free it first");
  return found;
}

/** A run whose siblings go on may move while it is read: so often it is read again. */
const TRIES = 5;

/** Each page of the log in a transaction of its own: it may be long. The engine judges again by the log as it is then. */
async function read(asking: Asking, run: RunId): Promise<{ readonly found: RunSource; readonly state: RunState }> {
  const events: TenantScope["events"] = (asks) => withTenant(asking, (scope) => scope.events(asks));
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await standing(asking, run);
    const [state] = await readLogs({ events }, [found]);
    if (typeof state === "object") return { found, state };
  }
  throw new ApiError("WOML_RESOLUTION_STALE", "the run moved while it was read: look again");
}

interface Saying {
  readonly unknown: Unknown;
  readonly input: ResolveUnknownInput;
  readonly reason: string | null;
}

async function accepted(asking: Asking, { unknown, input, reason }: Saying): Promise<Verdict> {
  const { operation } = unknown;
  if (input.outcome === "FAILED") return { status: "failed", message: reason ?? "A person said that it failed." };
  if (input.outcome === "RETRY") {
    if (operation !== null) await withTenant(asking, async (scope) => refuseEarly(operation, await scope.now()));
    return { status: "retry" };
  }
  if (operation === null) return { status: "succeeded", result: acceptOutput(input.result) };
  const result = await withTenant(asking, (scope) => acceptResult(scope, operation, input.result));
  return { status: "succeeded", result };
}

/** R3. */
function refuseEarly({ called, settledAt, tryAt }: NonNullable<Unknown["operation"]>, now: number): void {
  const patienceMs = called?.effect.conclusiveNotFoundAfterMs ?? 0;
  const retryAfterMs = (settledAt ?? tryAt) + patienceMs - now;
  if (retryAfterMs <= 0) return;
  const message = "its provider may still find it: to perform it again now could do it twice";
  throw new ApiError("WOML_RESOLUTION_TOO_EARLY", message, { retryAfterMs });
}

interface Resolving {
  readonly run: RunId;
  readonly id: string;
  readonly unknown: Unknown;
  readonly verdict: Verdict;
  readonly expectedHead: number;
  readonly reason: string | null;
}
/** An engine that refused a resolution leaves the place of the next one free; more often than this nobody asks in earnest. */
const PLACES = 100;

/** R4. The place is that of the last event about it: once it has moved, there is another. */
async function write(scope: TenantScope, wanted: Resolving, by: string): Promise<void> {
  const { run, id, unknown, verdict, expectedHead, reason } = wanted;
  const { node, attempt, call } = unknown;
  const digest = digestOf({ verdict: verdict as unknown as Json });
  const body = { kind: "resolve", node, attempt, call, expectedHead, verdict, by } as unknown as Json;
  for (let place = 1; place <= PLACES; place++) {
    const key = `${id}@${unknown.head}#${place}`;
    const { row, created }: Submitted = await scope.submit({ id: randomUUID(), run, scope: `resolve:${run}`, key, digest, body });
    if (created) {
      const detail = { outcome: verdict.status, expectedHead, reason, verdict: digest };
      return scope.record(entryOf(by, "run.resolve", `${showRunId(run)} ${id}`, detail));
    }
    const wasRefused = row.consumedAt !== null && row.answer !== null;
    if (wasRefused) continue;
    if (row.digest === digest) return;
    throw new ApiError("WOML_RESOLUTION_STALE", "somebody has said something else of it: look again");
  }
  throw new ApiError("WOML_RESOLUTION_STALE", "it was refused too often: look again");
}
