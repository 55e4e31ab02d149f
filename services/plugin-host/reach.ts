import type { At, Dispatch, Fence, Found, Named, Performed, PluginHost } from "./door.ts";
import { type Answer, Link } from "./link.ts";
import { dispatchRule } from "./parse.ts";
import { ABSENT, afterLoss, bare, invalid, LOST, named, notAsked, only, type ReachOptions, same } from "./question.ts";

type Pending =
  | {
      readonly asks: "perform";
      readonly dispatch: Dispatch;
      cancelled: boolean;
      /** The line has broken since it was given to a host. */
      isDoubtful: boolean;
      readonly resolve: (performed: Performed) => void;
    }
  | { readonly asks: "attach"; readonly ask: Fence & Named; readonly resolve: (performed: Performed | null) => void }
  | { readonly asks: "reattach"; readonly resolve: (found: Found) => void };

/**
 * The one plugin host of one machine. Connects, and again whenever the host was restarted. Rejects when there is none within ten seconds or it
 * speaks another protocol.
 */
export async function openPluginHost(socketPath: string, options: ReachOptions): Promise<PluginHost> {
  const reach = new Reach(socketPath, options);
  await reach.opened();
  return reach;
}

/** The invariants stand at PluginHost. */
class Reach implements PluginHost {
  readonly #pending = new Map<number, Pending>();
  readonly #link: Link;
  #next = 0;

  constructor(socket: string, { release, now = () => null }: ReachOptions) {
    this.#link = new Link(
      { socket },
      { release, now },
      {
        met: () => this.#met(),
        answered: (_, answer) => this.#answered(answer),
        closing: () => this.#close(),
        lost: () => this.#lose(),
      },
    );
  }
  opened(): Promise<void> {
    return this.#link.opened();
  }

  choose(): undefined {
    return undefined;
  }
  perform(asked: Dispatch & At): Promise<Performed> {
    const dispatch = bare(asked);
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve(invalid(complaint));
    if (!this.#link.isOpen) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Performed>();
    const id = this.#keep({ asks: "perform", dispatch, cancelled: false, isDoubtful: false, resolve });
    this.#link.send({ frame: "perform", id, dispatch });
    return promise;
  }
  attach(asked: Fence & Named & At): Promise<Performed | null> {
    if (this.#link.isClosed) return Promise.resolve(ABSENT);
    const ask = only(asked);
    const { promise, resolve } = Promise.withResolvers<Performed | null>();
    const id = this.#keep({ asks: "attach", ask, resolve });
    this.#link.send({ frame: "attach", id, ask });
    return promise;
  }
  reattach(asked: Dispatch & At): Promise<Found> {
    const dispatch = bare(asked);
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve(notAsked(complaint));
    if (!this.#link.isOpen) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Found>();
    this.#link.send({ frame: "reattach", id: this.#keep({ asks: "reattach", resolve }), dispatch });
    return promise;
  }
  cancel(asked: Named & At): void {
    for (const pending of this.#pending.values()) {
      if (pending.asks === "perform" && same(pending.dispatch, asked)) pending.cancelled = true;
    }
    this.#link.send({ frame: "cancel", named: named(asked) });
  }
  async close(): Promise<void> {
    this.#link.close();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const one of pending) {
      if (one.asks === "perform") one.resolve(LOST);
      else one.resolve(ABSENT);
    }
  }

  #keep(pending: Pending): number {
    this.#next += 1;
    this.#pending.set(this.#next, pending);
    return this.#next;
  }

  /** Who only reads may ask again. Who attaches, or may have had an effect, waits for the next host. */
  #lose(): void {
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "perform") pending.isDoubtful = true;
      if (pending.asks === "attach" || (pending.asks === "perform" && pending.dispatch.effect !== "pure")) continue;
      this.#pending.delete(id);
      pending.resolve(ABSENT);
    }
  }
  /** What it was given on this line and has not answered it did not take. */
  #close(): void {
    for (const [id, pending] of this.#pending) {
      if (pending.asks !== "perform" || pending.isDoubtful) continue;
      this.#pending.delete(id);
      pending.resolve(ABSENT);
    }
  }

  #answered(answer: Answer): boolean {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined || !settle(pending, answer)) return false;
    this.#pending.delete(answer.id);
    return true;
  }
  #met(): void {
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "reattach") continue;
      const ask = pending.asks === "attach" ? pending.ask : only(pending.dispatch);
      this.#link.send({ frame: "attach", id, ask });
      if (pending.asks === "perform" && pending.cancelled) this.#link.send({ frame: "cancel", named: named(ask) });
    }
  }
}

/** False where that is no answer to it. */
function settle(pending: Pending, answer: Answer): boolean {
  if (pending.asks === "reattach" && answer.frame === "found") pending.resolve(answer.found);
  else if (pending.asks === "attach" && answer.frame === "attached") pending.resolve(answer.performed);
  else if (pending.asks === "perform" && answer.frame === "performed") pending.resolve(answer.performed);
  else if (pending.asks === "perform" && answer.frame === "attached") pending.resolve(afterLoss(answer.performed));
  else return false;
  return true;
}
