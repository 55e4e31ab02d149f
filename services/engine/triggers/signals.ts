// INVARIANTS
// R1 A signal of the platform is consumed by the statement that inserts all that it starts, and each start has a key that follows from the signal: an engine
//    that dies loses none, and two that read it at once start nothing twice.
// R2 No workflow hears of what it stands above: one that fails does not start itself, nor another that it follows from. The name of the signal stands above
//    what it starts too, by which it is known how many of that name follow from one another (builtin/announce.ts).
import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import {
  type Allowance,
  admit,
  isFreeSignal,
  keeping,
  type NewDelivery,
  type Occurrence,
  type PlatformSignal,
  type Reached,
  reachedCode,
  reachedWords,
  type Spread,
  type Subscriber,
  type TriggerStore,
  UNLIMITED_STARTS,
} from "@woml/prisma";
import { asRunId, type Deaf, type Heard, hear, SIGNAL_LIMITS } from "@woml/run";
import { BATCH, SIGNAL_PATIENCE_MS, SIGNAL_ROUND_MS, SWEEP_MS } from "../bounds.ts";
import { codeOf } from "../code-of.ts";
import type { World } from "../engine.ts";

export type Relay = Pick<World, "alarm" | "monotonic" | "doorbell" | "log" | "mint" | "digest">;
type Signals = Pick<TriggerStore, "signals" | "listening" | "allowance" | "spread">;

/** Spreads them once a second, and at once again while there are more, while the engine has its lease, until told to stop. */
export function watchSignals(world: Relay, store: Signals | undefined, isAlive: () => boolean): () => void {
  if (store === undefined) return () => {};
  let isOn = true;
  let stop = (): void => {};
  const round = async (): Promise<void> => {
    const complain = (error: unknown): boolean => {
      world.log.warn({ code: codeOf(error) }, "signals not looked at");
      return false;
    };
    const isMore = isAlive() && (await spreadSignals(world, store).catch(complain));
    if (isOn) stop = world.alarm(isMore ? 0 : SWEEP_MS, () => void round());
  };
  void round();
  return () => {
    isOn = false;
    stop();
  };
}

/**
 * Spreads what there is, for SIGNAL_ROUND_MS: a thousand may listen to each, and a tenant that has many keeps those of others waiting no longer than that,
 * which come in their turn at the next look. Answers whether there is more to be done. Rejects when the store cannot be asked; one that cannot be spread does
 * not keep the others.
 */
async function spreadSignals(world: Relay, store: Signals): Promise<boolean> {
  const [found, until] = [await store.signals(BATCH), world.monotonic() + SIGNAL_ROUND_MS];
  let [started, spreads, looked] = [0, 0, 0];
  for (const signal of found) {
    if (world.monotonic() >= until) break;
    looked += 1;
    try {
      const subscribers = await store.listening(signal.tenant, signal.name);
      const workflows = [...new Set(subscribers.map(({ workflow }) => workflow))];
      const allowance = isFreeSignal(signal) ? UNLIMITED_STARTS : await store.allowance(signal.tenant, workflows);
      const spread = spreading(signal, { subscribers, allowance }, world);
      if (spread === null || !(await store.spread(spread))) continue;
      spreads += 1;
      started += spread.occurrences.length;
    } catch (error) {
      world.log.warn({ tenant: signal.tenant, signal: signal.name, code: codeOf(error) }, "a signal was not spread");
    }
  }
  if (started > 0) world.doorbell.ring(SHARED);
  return spreads > 0 && (looked < found.length || found.length === BATCH);
}

interface Around {
  readonly subscribers: readonly Subscriber[];
  readonly allowance: Allowance;
}
/** What follows from a signal for whoever listens by now; null: it waits until all of them may start. Pure: ids are drawn by whoever asks. */
export function spreading(
  signal: PlatformSignal,
  { subscribers, allowance }: Around,
  draws: Pick<Relay, "mint" | "digest">,
): Spread | null {
  const { lineage, payload, waitedMs } = signal;
  const willing = hear(subscribers, { payload, lineage }).map((one) =>
    lineage.length > SIGNAL_LIMITS.depth ? { ...one, deaf: DEEP } : one,
  );
  const reached = admit(
    allowance,
    willing.flatMap(({ listener, deaf }) => (deaf === null ? listener.workflow : [])),
  );
  if (waitedMs < SIGNAL_PATIENCE_MS && reached.some((one) => one !== null)) return null;
  const each = reached.values();
  const heard = willing.map((one) => (one.deaf === null ? { ...one, deaf: keptBack(each.next().value ?? null) } : one));
  const occurrences = heard.flatMap(({ listener, deaf }) => (deaf === null ? [occurrence(signal, listener, draws)] : []));
  const [runs, keep] = [occurrences.values(), keeping(payloadOf(signal))];
  const deliveries = heard.map((one): NewDelivery => {
    const of = deliveryOf(signal, one, draws.mint());
    const { deaf } = one;
    if (deaf !== null) return { ...of, outcome: "rejected", code: deaf.code, detail: { message: deaf.message }, ...keep() };
    const { value: started } = runs.next();
    return { ...of, outcome: "accepted", ...(started && { run: started.run }) };
  });
  return { signal, occurrences, deliveries };
}

function keptBack(reached: Reached | null): Deaf | null {
  return reached === null ? null : { code: reachedCode(reached), message: `Not started: ${reachedWords(reached)}.` };
}

const DEEP: Deaf = {
  code: "WOML_EVENT_DEPTH_EXCEEDED",
  message: `More than ${SIGNAL_LIMITS.depth} workflows stand above this signal.`,
};

function occurrence(signal: PlatformSignal, listener: Subscriber, { mint, digest }: Pick<Relay, "mint" | "digest">): Occurrence {
  const { workflow, trigger, version } = listener;
  const { name, key, lineage, onAmbiguous } = signal;
  const payload = payloadOf(signal);
  const asks = { kind: "start", workflow, version, trigger: { kind: "signal", id: trigger }, payload, labels: [] } as const;
  return {
    ...{
      run: asRunId(mint()),
      scope: `trigger:${workflow}:${trigger}`,
      key: `platform:v1:${name}:${key}`,
      digest: digest(`${name} ${key}`),
    },
    body: { ...asks, ...(onAmbiguous !== null && { onAmbiguous }), signal: { id: `${name} ${key}`, name, lineage: [...lineage, name] } },
  };
}

const payloadOf = ({ payload, at }: PlatformSignal): Json => ({ ...(payload as object), at: new Date(at).toISOString() });

type Told = Pick<NewDelivery, "id" | "workflow" | "trigger" | "kind" | "source">;
function deliveryOf({ name, key }: PlatformSignal, { listener: { workflow, trigger } }: Heard<Subscriber>, id: string): Told {
  return { id, workflow, trigger, kind: "signal", source: `${name} ${key}` };
}
