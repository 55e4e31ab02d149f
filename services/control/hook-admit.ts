// INVARIANTS
// H1 Nothing of a body is read as anything before it is known from whom it comes: a bearer is looked at before the body is, a signature before it is parsed.
// H2 What the answer says is committed: run and delivery are stored in one transaction, and only then is anybody told.
// H3 A delivery starts one run, whoever sends it again and however often: its name is the key of the start. Names of senders and of callers cannot meet.
import { randomUUID } from "node:crypto";
import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import type { NewRequest } from "@woml/prisma";
import { showRunId } from "@woml/run";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import type { Hook } from "./hook-find.ts";
import { deliveryOf, digestOfBytes } from "./hook-log.ts";
import { mintRunId } from "./ids.ts";
import type { ControlOptions } from "./index.ts";

export interface Accepted {
  readonly runId: string;
  readonly status: "accepted" | "queued";
  readonly duplicate: boolean;
}
export interface Verified {
  readonly hook: Hook;
  readonly bytes: Buffer;
  readonly payload: Json;
  readonly secret: string | null;
  /** What it is known by; null: each is one of its own. */
  readonly source: string | null;
  /** What has to be the same when it comes again: the payload, but for what the sender itself changes in it. */
  readonly compared: Json;
  readonly trace: string | null;
}

/** Throws with WOML_TRIGGER_IDEMPOTENCY_CONFLICT where its key was used with another payload. */
export async function admitHook({ store, doorbell }: Pick<ControlOptions, "store" | "doorbell">, verified: Verified): Promise<Accepted> {
  const { hook } = verified;
  const wanted = startOf(verified);
  const { row, created } = await store.submit(hook.tenant, wanted);
  if (!created && row.digest !== wanted.digest) throw conflict();
  if (created) doorbell.ring(SHARED);
  return { runId: showRunId(row.run), status: hook.isQueued ? "queued" : "accepted", duplicate: !created };
}

function startOf({ hook, bytes, payload, secret, source, compared, trace }: Verified): NewRequest {
  const { workflow, trigger, version } = hook.row;
  const extras = { ...(hook.onAmbiguous !== null && { onAmbiguous: hook.onAmbiguous }), ...(trace !== null && { trace }) };
  return {
    ...{ id: randomUUID(), run: mintRunId(), scope: `trigger:${workflow}:${trigger}`, key: source, digest: digestOf(compared) },
    body: { kind: "start", workflow, version, trigger: { kind: "webhook", id: trigger }, payload, labels: [], ...extras },
    meant: { workflow, version, trigger: { id: trigger, setting: hook.row.setting } },
    delivery: {
      ...{ ...deliveryOf(hook), outcome: "accepted", bodyDigest: digestOfBytes(bytes) },
      ...{ ...(source !== null && { source }), ...(secret !== null && { secret }) },
    },
  };
}

function conflict(): ApiError {
  const message = "this key was used before with another payload: take a new one, or send the same payload";
  return new ApiError("WOML_TRIGGER_IDEMPOTENCY_CONFLICT", message);
}
