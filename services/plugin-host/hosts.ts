import { hash } from "node:crypto";
import type { Log } from "@woml/boot";
import { type Fleet, type FleetOptions, openFleet } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { At, Dispatch, Fence, Found, Gone, Named, OutOfReach, Performed, PluginHost } from "./door.ts";
import { type Answer, Link } from "./link.ts";
import { dispatchRule } from "./parse.ts";
import { ABSENT, afterLoss, bare, GONE, invalid, LOST, named, notAsked, OUT_OF_REACH, only, type ReachOptions, same } from "./question.ts";

export interface PluginHostsOptions extends ReachOptions, Pick<FleetOptions<Link>, "addresses" | "lookup"> {
  /** As `Place` has them. */
  readonly secrets: readonly string[];
  readonly log: Log;
  /** So long a host whose line broke under a dispatch may come back before its answer is `out_of_reach`. Five seconds. */
  readonly outOfReachMs?: number;
}
export interface PluginHosts extends PluginHost {
  /** Why nothing can be performed at the moment, in words that end a sentence; null when it can. */
  fault(): string | null;
}
interface Performing {
  readonly asks: "perform";
  readonly host: string;
  readonly dispatch: Dispatch;
  /** Where the answer is waited for; null while its host is away. */
  via: Link | null;
  /** The line has broken since it was given to its host. */
  isDoubtful: boolean;
  isCancelled: boolean;
  away: NodeJS.Timeout | undefined;
  readonly resolve: (performed: Performed | Gone | OutOfReach) => void;
}
interface Attaching {
  readonly asks: "attach";
  readonly ask: Fence & Named;
  via: Link;
  readonly resolve: (performed: Performed | Gone | null) => void;
}
interface Reattaching {
  readonly asks: "reattach";
  readonly via: Link;
  readonly resolve: (found: Found) => void;
}
type Pending = Performing | Attaching | Reattaching;

/**
 * The plugin hosts that these addresses stand for, now and later; none has to be there yet. A dispatch goes to the one process that it names, and
 * to no other, whatever is met at that address by then.
 */
export function openPluginHosts(options: PluginHostsOptions): PluginHosts {
  return new Hosts(options);
}

/** The invariants stand at PluginHost. */
class Hosts implements PluginHosts {
  readonly #pending = new Map<number, Pending>();
  readonly #fleet: Fleet<Link>;
  readonly #log: Log;
  readonly #outOfReachMs: number;
  /** PostgreSQL's time less ours, by the latest of what was asked. */
  #offsetMs = Number.NEGATIVE_INFINITY;
  #next = 0;
  #isClosed = false;

  constructor({ addresses, lookup, secrets, log, release, now = () => null, outOfReachMs = BOUNDS.outOfReachMs }: PluginHostsOptions) {
    this.#log = log;
    this.#outOfReachMs = outOfReachMs;
    const events = {
      met: (link: Link) => this.#met(link),
      answered: (link: Link, answer: Answer) => this.#answered(link, answer),
      closing: (link: Link) => this.#closing(link),
      lost: (link: Link) => this.#lost(link),
    };
    const known = { release, now: () => now() ?? this.#now() };
    const open = (at: { readonly host: string; readonly port: number }): Link => new Link({ ...at, secrets }, known, events);
    this.#fleet = openFleet({ addresses, open, ...(lookup && { lookup }) });
  }

  fault(): string | null {
    const { members } = this.#fleet;
    if (members.some(isTaking)) return null;
    const [first] = members;
    if (first === undefined) return "no plugin host is found by its name";
    return `no plugin host answers: ${first.complaint ?? "those that are there are about to end"}`;
  }
  choose(tenant: string, release: string): string | null {
    const ids = this.#fleet.members.filter(isTaking).map(({ host }) => host);
    return highest(ids, tenant, release);
  }
  perform(asked: Dispatch & At): Promise<Performed | Gone | OutOfReach> {
    const dispatch = bare(asked);
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve(invalid(complaint));
    this.#hear(asked.now);
    const { host = "" } = asked;
    const via = this.#linkTo(host);
    if (via === null) return Promise.resolve(GONE);
    const { promise, resolve } = Promise.withResolvers<Performed | Gone | OutOfReach>();
    const rest = { isDoubtful: false, isCancelled: false, away: undefined, resolve };
    const id = this.#keep({ asks: "perform", host, dispatch, via, ...rest });
    via.send({ frame: "perform", id, dispatch });
    return promise;
  }
  attach(asked: Fence & Named & At): Promise<Performed | Gone | null> {
    if (this.#isClosed) return Promise.resolve(ABSENT);
    this.#hear(asked.now);
    const ask = only(asked);
    const via = this.#linkTo(asked.host ?? "");
    if (via === null) return Promise.resolve(GONE);
    const { promise, resolve } = Promise.withResolvers<Performed | Gone | null>();
    const id = this.#keep({ asks: "attach", ask, via, resolve });
    via.send({ frame: "attach", id, ask });
    return promise;
  }
  /** Whichever host: to ask a provider takes no memory of the dispatch. */
  reattach(asked: Dispatch & At): Promise<Found> {
    const dispatch = bare(asked);
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve(notAsked(complaint));
    this.#hear(asked.now);
    const open = this.#fleet.members.filter(({ isOpen }) => isOpen);
    const ids = open.map(({ host }) => host);
    const via = this.#linkTo(this.choose(dispatch.tenant, dispatch.release) ?? highest(ids, dispatch.tenant, dispatch.release) ?? "");
    if (via === null) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Found>();
    via.send({ frame: "reattach", id: this.#keep({ asks: "reattach", via, resolve }), dispatch });
    return promise;
  }
  cancel(asked: Named & At): void {
    for (const pending of this.#pending.values()) {
      if (pending.asks === "perform" && same(pending.dispatch, asked)) pending.isCancelled = true;
    }
    this.#linkTo(asked.host ?? "")?.send({ frame: "cancel", named: named(asked) });
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#fleet.close();
    for (const [id, pending] of this.#pending) {
      this.#drop(id, pending);
      if (pending.asks === "perform") pending.resolve(LOST);
      else pending.resolve(ABSENT);
    }
  }

  #keep(pending: Pending): number {
    this.#next += 1;
    this.#pending.set(this.#next, pending);
    return this.#next;
  }
  #drop(id: number, pending: Pending): void {
    this.#pending.delete(id);
    if (pending.asks === "perform") clearTimeout(pending.away);
  }
  /** One process may be found at two addresses. */
  #linkTo(host: string): Link | null {
    return this.#fleet.members.find((link) => link.isOpen && link.host === host) ?? null;
  }
  #hear(now: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, now - performance.now());
  }
  #now(): number | null {
    return Number.isFinite(this.#offsetMs) ? Math.floor(this.#offsetMs + performance.now()) : null;
  }

  #answered(link: Link, answer: Answer): boolean {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined || pending.via !== link || !settle(pending, answer)) return false;
    this.#drop(answer.id, pending);
    return true;
  }
  #met(link: Link): void {
    this.#log.info({ host: link.host }, "a plugin host is there");
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "perform" && pending.via === null && pending.host === link.host) this.#askAgain(id, pending, link);
    }
  }
  #lost(link: Link): void {
    if (link.isEnding) this.#log.info({ host: link.host }, "a plugin host has ended in order");
    else if (!this.#isClosed) this.#log.warn({ host: link.host }, "a plugin host is out of reach");
    for (const [id, pending] of this.#pending) if (pending.via === link) this.#bereave(id, pending, this.#linkTo(link.host));
  }
  /** Its line broke; `other` leads to the same process. */
  #bereave(id: number, pending: Pending, other: Link | null): void {
    if (pending.asks === "perform" && pending.dispatch.effect !== "pure") {
      pending.isDoubtful = true;
      pending.via = null;
      if (other !== null) this.#askAgain(id, pending, other);
      else pending.away = setTimeout(() => this.#giveUp(id, pending), this.#outOfReachMs);
    } else if (pending.asks === "attach" && other !== null) {
      pending.via = other;
      other.send({ frame: "attach", id, ask: pending.ask });
    } else {
      this.#drop(id, pending);
      if (pending.asks === "attach") pending.resolve(GONE);
      else pending.resolve(ABSENT);
    }
  }
  #askAgain(id: number, pending: Performing, link: Link): void {
    clearTimeout(pending.away);
    pending.via = link;
    const ask = only(pending.dispatch);
    link.send({ frame: "attach", id, ask });
    if (pending.isCancelled) link.send({ frame: "cancel", named: named(ask) });
  }
  #giveUp(id: number, pending: Performing): void {
    this.#drop(id, pending);
    pending.resolve(OUT_OF_REACH);
  }
  /** What it was given on this line and has not answered it did not take. Of what it was given before nobody will say any more. */
  #closing(link: Link): void {
    for (const [id, pending] of this.#pending) {
      if (pending.via !== link) continue;
      this.#drop(id, pending);
      if (pending.asks === "reattach") pending.resolve(ABSENT);
      else if (pending.asks === "perform" && pending.isDoubtful) pending.resolve(LOST);
      else pending.resolve(GONE);
    }
  }
}

const isTaking = ({ isOpen, isDraining }: Link): boolean => isOpen && !isDraining;

/** Rendezvous: while the same hosts are there a tenant's release stays with one of them, whose process for it is started already. */
function highest(ids: readonly string[], tenant: string, release: string): string | null {
  const ranked = ids.map((id) => ({ id, rank: hash("sha256", JSON.stringify([id, tenant, release])) }));
  const [first] = ranked.sort((one, other) => (one.rank < other.rank ? 1 : -1));
  return first?.id ?? null;
}

/** False where that is no answer to it. */
function settle(pending: Pending, answer: Answer): boolean {
  if (pending.asks === "reattach" && answer.frame === "found") pending.resolve(answer.found);
  else if (pending.asks === "attach" && answer.frame === "attached") pending.resolve(answer.performed);
  else if (pending.asks === "perform" && answer.frame === "performed" && !pending.isDoubtful) pending.resolve(answer.performed);
  else if (pending.asks === "perform" && answer.frame === "attached" && pending.isDoubtful) pending.resolve(afterLoss(answer.performed));
  else return false;
  return true;
}
