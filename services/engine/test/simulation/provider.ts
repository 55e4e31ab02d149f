import type { Json } from "@woml/model";
import type { Dispatch, Found } from "@woml/plugin-host";
import { isOperation, TRAITS } from "./wares.ts";

type Asked = Pick<Dispatch, "key" | "operation" | "effect" | "run" | "input">;
export type Landed = { readonly done: Json } | { readonly refused: string };
/** What it keeps under a key. */
interface Entry {
  readonly landed: Landed;
  readonly knownUntil: number;
}

/**
 * The world behind the plugins. It counts effects by what they are for, which the platform does not know, so that a key that comes out
 * differently is found as well; and it never says what it does not know, or has forgotten.
 */
export class Provider {
  readonly #now: () => number;
  readonly #effects = new Map<string, number>();
  readonly #entries = new Map<string, Entry>();
  readonly #done = new Map<string, Json>();
  /** Requests on their way by key, and those of them that have come in and are not finished. */
  readonly #coming = new Map<string, number>();
  readonly #working = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }
  /** By `purposeOf`. */
  get effects(): ReadonlyMap<string, number> {
    return this.#effects;
  }
  /** What was done under a key, whoever has forgotten it. */
  done(key: string): Json | undefined {
    return this.#done.get(key);
  }
  isComing(key: string): boolean {
    return (this.#coming.get(key) ?? 0) > 0;
  }
  /** Says that a request has left, and whether it has come in already; what it answers is called when it has landed, or is lost. */
  expect({ key }: Asked, isIn: boolean): () => void {
    add(this.#coming, key, 1);
    if (isIn) add(this.#working, key, 1);
    return () => {
      add(this.#coming, key, -1);
      if (isIn) add(this.#working, key, -1);
    };
  }
  /** The request has come in. `declines`: it would be refused, if the key does not say otherwise. */
  land(asked: Asked, declines: boolean): Landed {
    const { key, effect } = asked;
    const { keyMs, isSticky } = traitsOf(asked);
    if (effect === "pure") return declines ? DECLINED : { done: JSON.parse(asked.input) };
    const kept = this.#entries.get(key);
    const isKnown = keyMs > 0 && kept !== undefined && this.#now() < kept.knownUntil;
    if (isKnown && ("done" in kept.landed || isSticky)) return kept.landed;
    const landed = declines ? DECLINED : { done: { for: purposeOf(asked) } };
    if (!declines) {
      add(this.#effects, purposeOf(asked), 1);
      this.#done.set(key, "done" in landed ? landed.done : null);
    }
    // It counts from the first request with the key.
    this.#entries.set(key, { landed, knownUntil: isKnown ? kept.knownUntil : this.#now() + keyMs });
    return landed;
  }
  /** Whether the key was known once, and is not any more. */
  hasForgotten(asked: Asked): boolean {
    const kept = this.#entries.get(asked.key);
    return traitsOf(asked).keyMs > 0 && kept !== undefined && this.#now() >= kept.knownUntil;
  }
  find({ key }: Asked): Found {
    const landed = this.#entries.get(key)?.landed;
    if (landed !== undefined && "done" in landed) return { status: "succeeded", result: JSON.stringify(landed.done) };
    if ((this.#working.get(key) ?? 0) > 0) return { status: "pending", askAgainMs: 1_000 };
    if (landed !== undefined) return { status: "failed", code: landed.refused, message: "declined" };
    return { status: "not_found" };
  }
}

const DECLINED = { refused: "DECLINED" } as const;

/** What an operation is for: programs say it in the input. */
export function purposeOf({ run, input }: Pick<Dispatch, "run" | "input">): string {
  const { id }: { id: string } = JSON.parse(input);
  return `${run} ${id}`;
}

export function traitsOf({ operation }: Pick<Dispatch, "operation">): (typeof TRAITS)[keyof typeof TRAITS] {
  if (!isOperation(operation)) throw new Error(`nobody offers ${operation}`);
  return TRAITS[operation];
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
