import type { Json } from "@woml/model";
import type { Dispatch, Found, Performed } from "@woml/plugin-host";

/** What it has done under one key. */
interface Entry {
  readonly result: Json;
}

/**
 * The world behind the plugins: it counts every effect by the key of its operation, whatever the platform believes. A keyed operation has
 * its effect once while its key is remembered; of a reattachable one it can tell what became of it.
 */
export class Provider {
  readonly #effects = new Map<string, number>();
  readonly #entries = new Map<string, Entry>();
  readonly #forgotten = new Set<string>();

  /** Effects by key: none may stand here twice. */
  get effects(): ReadonlyMap<string, number> {
    return this.#effects;
  }
  /** Operations that had their effect more than once. */
  get doubled(): readonly string[] {
    return [...this.#effects].filter(([, count]) => count > 1).map(([key]) => key);
  }
  /** The request has come in. */
  land({ key, effect, input }: Pick<Dispatch, "key" | "effect" | "input">): Json {
    if (effect === "pure") return JSON.parse(input);
    const before = effect === "keyed" && !this.#forgotten.has(key) ? this.#entries.get(key) : undefined;
    if (before !== undefined) return before.result;
    const count = (this.#effects.get(key) ?? 0) + 1;
    this.#effects.set(key, count);
    const result = { done: JSON.parse(input), time: count };
    this.#entries.set(key, { result });
    return result;
  }
  /** The window of a key is over. */
  forget(key: string): void {
    this.#forgotten.add(key);
  }
  find({ key }: Pick<Dispatch, "key">): Found {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { status: "not_found" };
    return { status: "succeeded", result: JSON.stringify(entry.result) };
  }
}

/** The provider's answer as a plugin hands it on. */
export function answered(result: Json): Performed {
  return { status: "succeeded", result: JSON.stringify(result), evidence: "the provider answered" };
}
