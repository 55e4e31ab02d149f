// A start or a cancel is stored in the inbox (a resolution: resolve.ts), and only then is the engine told. Accepted means persisted; a lost ring costs latency only.
import { randomUUID } from "node:crypto";
import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import type { NewRequest, RequestRow, Submitted, TenantScope } from "@woml/prisma";
import { type Asking, withTenant } from "./asking.ts";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { mintRunId, runIdOf, triggerIdOf, versionHashOf, workflowIdOf } from "./ids.ts";
import { asMeant } from "./meant.ts";
import { acceptKey, acceptLabels, acceptPayload } from "./payload.ts";
import { findRun, type RunSource, runOfRow, runOfStart } from "./run-source.ts";
import { acceptStartAt } from "./start-at.ts";

export interface StartRunInput {
  readonly workflow: string;
  readonly version?: string | null;
  readonly trigger?: string | null;
  readonly payload?: unknown;
  readonly idempotencyKey?: string | null;
  readonly labels?: readonly string[] | null;
  readonly startAt?: string | null;
}
/** What a caller asked for, once it is known to be well formed. `version` is a hash; null is the active one, as `trigger` is the first manual one. */
interface Wanted {
  readonly workflow: string;
  readonly version: string | null;
  readonly trigger: string | null;
  readonly payload: Json;
  readonly labels: readonly string[];
  readonly key: string | null;
  readonly startAt: string | null;
}

export async function startRun(asking: Asking, input: StartRunInput): Promise<{ run: RunSource; duplicate: boolean }> {
  const wanted: Wanted = {
    workflow: workflowIdOf(input.workflow),
    version: input.version === null || input.version === undefined ? null : versionHashOf(input.version),
    trigger: input.trigger === null || input.trigger === undefined ? null : triggerIdOf(input.trigger),
    payload: acceptPayload(input.payload),
    labels: acceptLabels(input.labels),
    key: acceptKey(input.idempotencyKey),
    startAt: input.startAt ?? null,
  };
  const started = await asMeant(() => storeStart(asking, wanted));
  asking.doorbell.ring(SHARED);
  return started;
}

/** What is read first cannot change under the request that follows: versions are immutable, and it is stored while the one that was active is. */
async function storeStart(asking: Asking, wanted: Wanted): Promise<{ run: RunSource; duplicate: boolean }> {
  const { workflow, payload, labels, key } = wanted;
  const { found, dueAt } = await withTenant(asking, async (scope) => ({
    found: await versionToRun(scope, wanted),
    dueAt: acceptStartAt(wanted.startAt, await scope.now()),
  }));
  const { hash: version, trigger, onAmbiguous } = found;
  // Of what was asked, not of what it meant then: a repeat after another version was activated is still the same request.
  const digest = digestOf({
    workflow,
    version: wanted.version,
    ...(wanted.trigger !== null && { trigger: wanted.trigger }),
    payload,
    labels,
    ...(wanted.startAt !== null && { startAt: Date.parse(wanted.startAt) }),
  });
  const { trace } = asking;
  const extras = { ...(onAmbiguous === null ? {} : { onAmbiguous }), ...(trace === null ? {} : { trace }) };
  const body = { kind: "start", workflow, version, trigger, payload, labels, ...extras };
  const { row, created } = await submit(asking, {
    run: mintRunId(),
    scope: `start:${workflow}`,
    key,
    digest,
    body,
    ...(wanted.version === null && { meant: { workflow, version, trigger: null } }),
    ...(dueAt !== null && { dueAt }),
  });
  if (created) return { run: runOfStart(row), duplicate: false };
  if (row.digest !== digest) {
    throw new ApiError("WOML_IDEMPOTENCY_CONFLICT", "this idempotency key was used for another request: take a new key");
  }
  return { run: await withTenant(asking, (scope) => runOf(scope, row)), duplicate: true };
}

function submit({ who, store }: Asking, wanted: Omit<NewRequest, "id">): Promise<Submitted> {
  if (who.scope !== "tenant") throw new Error("a tenant's request came from the administrator");
  return store.submit(who.tenant, { ...wanted, id: randomUUID() });
}

/** A version, and how the tenant wants its runs to meet an outcome that nobody knows. */
interface ToRun {
  readonly hash: string;
  readonly trigger: Json;
  readonly onAmbiguous: "fail" | null;
}

export async function versionToRun(scope: TenantScope, wanted: Pick<Wanted, "workflow" | "version" | "trigger">): Promise<ToRun> {
  const { workflow, version, trigger } = wanted;
  const found = await scope.workflow(workflow);
  if (found === null) throw new ApiError("WOML_WORKFLOW_NOT_FOUND", `there is no workflow ${workflow}`);
  const hash = version ?? found.active;
  if (hash === null) throw new ApiError("WOML_WORKFLOW_NOT_ACTIVE", `no version of ${workflow} is active: name one, or publish one`);
  const row = await scope.version(hash);
  if (row?.workflow !== workflow) throw new ApiError("WOML_VERSION_NOT_FOUND", `${workflow} has no such version`);
  return { hash, trigger: manualTrigger(workflow, row.definition, trigger), onAmbiguous: await scope.onAmbiguous() };
}

/** A definition that somebody changed in the store may hold none: the engine refuses it by its hash, not we by its shape. */
function manualTrigger(workflow: string, definition: string, wanted: string | null): Json {
  const { triggers }: { triggers?: unknown } = JSON.parse(definition);
  if (Array.isArray(triggers) && triggers.length === 0) {
    throw new ApiError("WOML_WORKFLOW_CALL_ONLY", `${workflow} has no triggers: only another workflow starts it, with services.workflows`);
  }
  const manual = Array.isArray(triggers) ? triggers.filter((trigger) => trigger?.kind === "manual") : [];
  const found = wanted === null ? manual[0] : manual.find(({ id }) => id === wanted);
  if (wanted !== null && found === undefined) throw new ApiError("WOML_TRIGGER_NOT_FOUND", `${workflow} has no manual trigger ${wanted}`);
  return { kind: "manual", id: typeof found?.id === "string" ? found.id : "manual" };
}

/** Repeats are one request: its scope and key are the run's. */
export async function cancelRun(asking: Asking, id: string): Promise<RunSource> {
  const run = runIdOf(id);
  const found = await withTenant(asking, (scope) => findRun(scope, run));
  if (found === null) throw new ApiError("WOML_RUN_NOT_FOUND", "there is no such run");
  if (found.endedAt !== null) throw new ApiError("WOML_RUN_ALREADY_TERMINAL", `the run has ended: ${found.status}`);
  const body = { kind: "cancel" };
  await submit(asking, { run, scope: `cancel:${run}`, key: "cancel", digest: digestOf(body), body });
  asking.doorbell.ring(found.queue);
  return found;
}

async function runOf(scope: TenantScope, row: RequestRow): Promise<RunSource> {
  const admitted = await scope.run(row.run);
  return admitted ? runOfRow(admitted) : runOfStart(row);
}
