// INVARIANTS
// R1 A signal of the platform is consumed by the statement that inserts all that it starts, and each start has a key that follows from the signal: an engine
//    that dies loses none, and two that read it at once start nothing twice.
// R2 No workflow hears of what it stands above: one that fails does not start itself, nor another that it follows from.
import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import type { NewDelivery, Occurrence, PlatformSignal, Spread, Subscriber, TriggerStore } from "@woml/prisma";
import { asRunId, type Deaf, type Heard, hear, SIGNAL_LIMITS } from "@woml/run";
import { BATCH, SWEEP_MS } from "../bounds.ts";
import { codeOf } from "../code-of.ts";
import type { World } from "../engine.ts";

export type Relay = Pick<World, "alarm" | "doorbell" | "log" | "mint" | "digest">;
type Signals = Pick<TriggerStore, "signals" | "listening" | "spread">;

/** Spreads them once a second, while the engine has its lease, until told to stop. */
export function watchSignals(world: Relay, store: Signals | undefined, isAlive: () => boolean): () => void {
  if (store === undefined) return () => {};
  let isOn = true;
  let stop = (): void => {};
  const round = async (): Promise<void> => {
    const complain = (error: unknown): void => world.log.warn({ code: codeOf(error) }, "signals not looked at");
    if (isAlive()) await spreadSignals(world, store).catch(complain);
    if (isOn) stop = world.alarm(SWEEP_MS, () => void round());
  };
  void round();
  return () => {
    isOn = false;
    stop();
  };
}

/** Spreads what there is. Rejects when the store cannot be asked; one that cannot be spread does not keep the others. */
async function spreadSignals(world: Relay, store: Signals): Promise<void> {
  let started = 0;
  for (const signal of await store.signals(BATCH)) {
    try {
      const spread = spreading(signal, await store.listening(signal.tenant, signal.name), world);
      if (await store.spread(spread)) started += spread.occurrences.length;
    } catch (error) {
      world.log.warn({ tenant: signal.tenant, signal: signal.name, code: codeOf(error) }, "a signal was not spread");
    }
  }
  if (started > 0) world.doorbell.ring(SHARED);
}

/** What follows from a signal for whoever listens by now. Pure: ids are drawn by whoever asks. */
export function spreading(signal: PlatformSignal, subscribers: readonly Subscriber[], draws: Pick<Relay, "mint" | "digest">): Spread {
  const { lineage, payload } = signal;
  const heard = hear(subscribers, { payload, lineage }).map((one) => (lineage.length > SIGNAL_LIMITS.depth ? { ...one, deaf: DEEP } : one));
  const occurrences = heard.flatMap(({ listener, deaf }) => (deaf === null ? [occurrence(signal, listener, draws)] : []));
  const runs = occurrences.values();
  return {
    signal,
    occurrences,
    deliveries: heard.map((one) => delivery(signal, one, draws.mint(), one.deaf === null ? runs.next().value : undefined)),
  };
}

const DEEP: Deaf = {
  code: "WOML_EVENT_DEPTH_EXCEEDED",
  message: `More than ${SIGNAL_LIMITS.depth} workflows stand above this signal.`,
};

function occurrence(signal: PlatformSignal, listener: Subscriber, { mint, digest }: Pick<Relay, "mint" | "digest">): Occurrence {
  const { workflow, trigger, version } = listener;
  const { name, key, lineage, onAmbiguous } = signal;
  const payload: Json = { ...(signal.payload as object), at: new Date(signal.at).toISOString() };
  const asks = { kind: "start", workflow, version, trigger: { kind: "signal", id: trigger }, payload, labels: [] } as const;
  return {
    ...{
      run: asRunId(mint()),
      scope: `trigger:${workflow}:${trigger}`,
      key: `platform:v1:${name}:${key}`,
      digest: digest(`${name} ${key}`),
    },
    body: { ...asks, ...(onAmbiguous !== null && { onAmbiguous }), signal: { id: `${name} ${key}`, name, lineage } },
  };
}

function delivery({ name, key }: PlatformSignal, { listener, deaf }: Heard<Subscriber>, id: string, started?: Occurrence): NewDelivery {
  const { workflow, trigger } = listener;
  const of = { id, workflow, trigger, kind: "signal", source: `${name} ${key}` } as const;
  if (deaf === null) return { ...of, outcome: "accepted", ...(started && { run: started.run }) };
  return { ...of, outcome: "rejected", code: deaf.code, detail: { message: deaf.message } };
}
