// INVARIANTS
// S1 Who listens, what each is told and what is written down of it are one transaction: a signal that is answered has started all that it starts.
// S2 The key of each start follows from the signal's id and the trigger (woml.md, 5.1): the same id again starts nothing again, whoever listens by then.
import { createHash, randomUUID } from "node:crypto";
import type { Json } from "@woml/model";
import {
  type FannedOut,
  keeping,
  type NewDelivery,
  type NewRequest,
  reachedCode,
  reachedWords,
  type Subscriber,
  type TenantScope,
} from "@woml/prisma";
import { type Deaf, excessOf, type Heard, hear, SIGNAL_LIMITS, showRunId } from "@woml/run";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { openGate } from "./gate.ts";
import { mintRunId, mintUuid } from "./ids.ts";
import { openLane } from "./lane.ts";
import { LANE, QUICK_STEPS } from "./limits.ts";

/** A signal from outside, once it is known who it is from. */
export interface Signal {
  /** Of the publication: what a second one is told by. */
  readonly id: string;
  readonly name: string;
  readonly payload: Json;
  readonly trace: string | null;
  /** It came to the door, and counts as a delivery. */
  readonly isDelivery: boolean;
  /** What judging its payload may take. */
  readonly steps: number | undefined;
}
/** Not an Error, which would keep a stack: judging the payload takes more steps than were given. */
class TakesLonger {}
const lane = openLane(openGate(LANE));

/** Emits at once, or, where judging the payload keeps the process busy, one at a time and tenants in turn. */
export async function inTurn(who: string, emit: (steps?: number) => Promise<Emitted>): Promise<Emitted> {
  try {
    return await emit(QUICK_STEPS);
  } catch (error) {
    if (!(error instanceof TakesLonger)) throw error;
    return lane.run({ who, bytes: 0 }, () => emit());
  }
}

interface SignalDelivery {
  readonly workflow: string;
  readonly trigger: string;
  readonly status: "accepted" | "duplicate" | "rejected";
  /** The run that it started, or that an earlier one had. */
  readonly run: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}
export interface Emitted {
  readonly id: string;
  readonly name: string;
  readonly status: "accepted" | "partial" | "rejected";
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
  readonly deliveries: readonly SignalDelivery[];
}

/**
 * Throws with WOML_EVENT_FANOUT_TOO_LARGE where the payload is too much for all that listen, and LimitReached where there is room for none of them: the same
 * signal again starts what this one did not.
 */
export async function fanOut(scope: TenantScope, signal: Signal, subscribers: readonly Subscriber[]): Promise<Emitted> {
  const { payload, steps } = signal;
  const heard = hear(subscribers, { payload, lineage: [], ...(steps !== undefined && { steps }) });
  if (steps !== undefined && heard.some(({ deaf }) => deaf?.code === "WOML_PAYLOAD_TOO_COMPLEX")) throw new TakesLonger();
  const excess = excessOf(heard, signal.payload);
  if (excess !== null) {
    const message = `the payload is ${excess} bytes for all that listen, and ${SIGNAL_LIMITS.bytes} are taken`;
    throw new ApiError("WOML_EVENT_FANOUT_TOO_LARGE", message, { limit: SIGNAL_LIMITS.bytes, actual: excess });
  }
  const setting = await scope.onAmbiguous();
  const digest = digestOf(signal.payload);
  const starts = heard.flatMap(({ listener, deaf }) => (deaf === null ? [startOf(signal, listener, { digest, setting })] : []));
  const keep = keeping(signal.payload);
  const rejected = heard.flatMap((one) => (one.deaf === null ? [] : [{ ...rejectionOf(signal, one.listener, one.deaf), ...keep() }]));
  const stored = await scope.fanOut({ wanted: starts, others: rejected, isDelivery: signal.isDelivery });
  const answers = stored.values();
  const deliveries = heard.map((one) => (one.deaf === null ? toldOf(one, answers.next().value, digest) : unheardOf(one, one.deaf)));
  const count = (status: SignalDelivery["status"]): number => deliveries.filter((one) => one.status === status).length;
  const [accepted, duplicate, failed] = [count("accepted"), count("duplicate"), count("rejected")];
  const status = failed === 0 ? "accepted" : failed === deliveries.length ? "rejected" : "partial";
  return { id: signal.id, name: signal.name, status, accepted, duplicate, rejected: failed, deliveries };
}

interface Means {
  readonly digest: string;
  readonly setting: "fail" | null;
}
function startOf({ id, name, payload, trace }: Signal, listener: Subscriber, { digest, setting }: Means): NewRequest {
  const { workflow, trigger, version } = listener;
  const extras = { ...(setting !== null && { onAmbiguous: setting }), ...(trace !== null && { trace }) };
  const key = keyOf(id, listener);
  return {
    ...{ id: randomUUID(), run: mintRunId(), scope: `trigger:${workflow}:${trigger}`, key, digest },
    body: {
      ...{ kind: "start", workflow, version, trigger: { kind: "signal", id: trigger }, payload, labels: [], ...extras },
      signal: { id, name, lineage: [] },
    },
    delivery: { ...deliveryOf(listener), outcome: "accepted", source: id },
  };
}

/** S2. */
function keyOf(id: string, { workflow, trigger }: Subscriber): string {
  return `event:v1:sha256:${createHash("sha256").update(`${id}\0${workflow}\0${trigger}`).digest("hex")}`;
}

const deliveryOf = ({ workflow, trigger }: Subscriber): Pick<NewDelivery, "id" | "workflow" | "trigger" | "kind"> => ({
  ...{ id: mintUuid(), workflow, trigger, kind: "signal" },
});

function rejectionOf({ id }: Signal, listener: Subscriber, { code, message }: Deaf): NewDelivery {
  return { ...deliveryOf(listener), outcome: "rejected", code, source: id, detail: { message } };
}

function toldOf({ listener }: Heard<Subscriber>, answer: FannedOut | undefined, digest: string): SignalDelivery {
  if (answer === undefined) throw new Error("a start was stored and not answered");
  if ("reached" in answer) {
    const { reached } = answer;
    return unheardOf({ listener, deaf: null }, { code: reachedCode(reached), message: `${reachedWords(reached)}.` });
  }
  const { workflow, trigger } = listener;
  const of = { workflow, trigger, run: showRunId(answer.row.run), code: null, message: null, issues: [] };
  if (answer.created) return { ...of, status: "accepted" };
  if (answer.row.digest === digest) return { ...of, status: "duplicate" };
  const message = "this id was used before with another payload";
  return { ...of, status: "rejected", run: null, code: "WOML_TRIGGER_IDEMPOTENCY_CONFLICT", message };
}

function unheardOf({ listener: { workflow, trigger } }: Heard<Subscriber>, { code, message, issues = [] }: Deaf): SignalDelivery {
  return { workflow, trigger, status: "rejected", run: null, code, message, issues };
}
