import type { Dispatch, Fence, Found, Named, Performed, PluginHost } from "@woml/plugin-host";

/** Stands in for the plugin host: its fence, its memory of what it was given, and what its plugins do. */
export interface HostDouble extends PluginHost {
  /** What a plugin does with a dispatch that was taken, and what its provider says when it is asked. */
  act: (dispatch: Dispatch) => Promise<Performed>;
  find: (dispatch: Dispatch) => Promise<Found>;
  perform(dispatch: Dispatch): Promise<Performed>;
  attach(ask: Fence & Named): Promise<Performed | null>;
  /** Every dispatch that was taken, in order; and every question to a provider. */
  readonly taken: readonly Dispatch[];
  readonly asked: readonly Dispatch[];
  readonly cancelled: readonly Named[];
  /** Nothing is taken for so long as this is set. */
  refuses: Extract<Performed, { readonly status: "refused" }>["reason"] | null;
  /** The host's process is gone, and another is there: it knows nothing, and what ran is in doubt. */
  restart(): void;
}

interface Kept {
  readonly effect: Dispatch["effect"];
  readonly said: Promise<Performed>;
  readonly lose: () => void;
  isOver: boolean;
}

/** `clock` is the host's idea of PostgreSQL's time. Without plugins everything succeeds with null. */
export function hostDouble(clock: () => number): HostDouble {
  const epochs = new Map<string, number>();
  const kept = new Map<string, Kept>();
  const denied = new Set<string>();
  const taken: Dispatch[] = [];
  const asked: Dispatch[] = [];
  const cancelled: Named[] = [];

  const objection = ({ tenant, run, epoch, notAfter }: Dispatch): "late" | "fenced" | null => {
    const name = `${tenant} ${run}`;
    if (epoch < (epochs.get(name) ?? 0)) return "fenced";
    epochs.set(name, epoch);
    return notAfter < clock() ? "late" : null;
  };
  const take = (dispatch: Dispatch): Promise<Performed> => {
    taken.push(dispatch);
    const { promise: lost, resolve } = Promise.withResolvers<Performed>();
    const one: Kept = {
      effect: dispatch.effect,
      said: Promise.race([host.act(dispatch), lost]),
      lose: () => resolve(dispatch.effect === "pure" ? refused("unavailable") : ambiguous),
      isOver: false,
    };
    kept.set(nameOf(dispatch), one);
    void one.said.then(() => {
      one.isOver = true;
    });
    return one.said;
  };
  const host: HostDouble = {
    act: async () => ({ status: "succeeded", result: "null", evidence: "the double says so" }),
    find: async () => ({ status: "unknown", message: "nobody was asked" }),
    taken,
    asked,
    cancelled,
    refuses: null,
    choose: () => undefined,
    perform: async (dispatch) => {
      const reason = host.refuses ?? objection(dispatch) ?? (denied.has(nameOf(dispatch)) ? "fenced" : null);
      if (reason !== null) return refused(reason);
      return kept.get(nameOf(dispatch))?.said ?? take(dispatch);
    },
    attach: async (ask) => {
      const name = `${ask.tenant} ${ask.run}`;
      if (ask.epoch < (epochs.get(name) ?? 0)) return refused("fenced");
      epochs.set(name, ask.epoch);
      const one = kept.get(nameOf(ask));
      if (one !== undefined && !(one.effect === "pure" && one.isOver)) return one.said;
      denied.add(nameOf(ask));
      return null;
    },
    reattach: async (dispatch) => {
      const reason = host.refuses ?? objection(dispatch);
      if (reason !== null) return refused(reason);
      asked.push(dispatch);
      return host.find(dispatch);
    },
    cancel: (ask) => void cancelled.push(ask),
    restart: () => {
      for (const one of kept.values()) one.lose();
      kept.clear();
      denied.clear();
      epochs.clear();
    },
    close: async () => undefined,
  };
  return host;
}

export const ambiguous: Performed = { status: "ambiguous", code: "LOST", message: "no answer came" };

export function refused(reason: Extract<Performed, { readonly status: "refused" }>["reason"]): Performed & Found {
  return { status: "refused", reason, message: `refused: ${reason}` } as const;
}

function nameOf({ tenant, run, attempt, key, try: number }: Named): string {
  return [tenant, run, attempt, key, number].join(" ");
}
