import { hash } from "node:crypto";
import { type Fleet, type FleetOptions, nameOf, openFleet } from "@woml/child";
import { ABSENT_MS, Door, type Invocation, type Listener, type Sandbox } from "./door.ts";
import type { Answer, Outcome } from "./frames.ts";
import { ending } from "./job.ts";

/** A tenant moves on from its own sandbox when that has more than twice, and this many more, in flight than the least busy one. */
const SPILL = 8;

export interface SandboxesOptions extends Pick<FleetOptions<Door>, "addresses" | "lookup"> {
  /** As a Place has them. */
  readonly secrets: readonly string[];
}
/** Many sandboxes as one. */
export interface Sandboxes extends Sandbox {
  /** Why nothing can be invoked at the moment, in words that end a sentence; null when it can. */
  fault(): string | null;
}

/**
 * The sandboxes that these addresses stand for, now and later; none has to be there yet. An invocation stays where it was sent: when that sandbox
 * is lost, it is `host_unavailable` if it had begun and `overloaded` if not, and no other's is. Each tenant has one that it is sent to while that is
 * not much busier than another, because workers belong to tenants and a started one is cheaper than a new one.
 */
export function openSandboxes({ secrets, ...fleet }: SandboxesOptions): Sandboxes {
  return new Spread(openFleet({ ...fleet, open: (at) => new Door({ ...at, secrets }) }));
}

class Spread implements Sandboxes {
  readonly #fleet: Fleet<Door>;
  readonly #under = new Map<string, Door>();
  #isClosed = false;

  constructor(fleet: Fleet<Door>) {
    this.#fleet = fleet;
  }

  /** In force on every sandbox that is there. */
  get layers(): readonly string[] {
    const [first, ...others] = this.#fleet.members.filter(({ isOpen }) => isOpen);
    return first?.layers.filter((layer) => others.every(({ layers }) => layers.includes(layer))) ?? [];
  }
  fault(): string | null {
    const { members } = this.#fleet;
    if (members.some(isTaking)) return null;
    const [first] = members;
    if (first === undefined) return "no sandbox is found by its name";
    return `no sandbox answers: ${first.complaint ?? "those that are there are about to end"}`;
  }

  async invoke(invocation: Invocation, listener?: Listener): Promise<Outcome> {
    const id = invocation.invocation;
    if (this.#isClosed) return ending("host_unavailable");
    if (this.#under.has(id)) return ending("protocol_violation", { detail: "is already under way" });
    const door = choose(this.#fleet.members.filter(isTaking), invocation.tenant);
    if (door === undefined) return ending("overloaded", { retryAfterMs: ABSENT_MS, detail: "no sandbox is there" });
    this.#under.set(id, door);
    const outcome = await door.invoke(invocation, listener);
    this.#under.delete(id);
    return outcome;
  }
  answer(invocation: string, answer: Omit<Answer, "frame" | "invocation">): void {
    this.#under.get(invocation)?.answer(invocation, answer);
  }
  cancel(invocation: string): void {
    this.#under.get(invocation)?.cancel(invocation);
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#fleet.close();
  }
}

const isTaking = ({ isOpen, isDraining }: Door): boolean => isOpen && !isDraining;

/** Rendezvous hashing: each tenant has an order of its own over all sandboxes, and one more or less moves no other tenant than it has to. */
function choose(doors: readonly Door[], tenant: string): Door | undefined {
  const least = Math.min(...doors.map(({ inFlight }) => inFlight));
  const order = doors.map((door) => ({ door, rank: hash("sha256", `${nameOf(door.place)} ${tenant}`) }));
  order.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return order.find(({ door }) => door.inFlight <= 2 * least + SPILL)?.door;
}
