/**
 * Dispatches that run, and what became of those that have ended.
 * 1. A dispatch is performed at most once: whoever names it again joins it, or is told what is kept of it.
 * 2. The fence is asked when it comes, and again by `perform` right before the plugin is given it, then with the newest asker's word.
 * 3. A name that was answered "not known" is buried: it is not performed later, whatever was on its way.
 * 4. What was refused is not kept: nothing was done. Pure results are not kept either: to perform them again costs nothing but time.
 */
import { createHash } from "node:crypto";
import { BOUNDS } from "./bounds.ts";
import type { Dispatch, Fence, Named, Performed } from "./door.ts";
import { type Fences, type Refused, refused } from "./fence.ts";
import { Kept } from "./kept.ts";
import type { Source } from "./releases.ts";

/** A dispatch on its way to the plugin. */
export interface Running {
  readonly dispatch: Dispatch;
  /** Where its release can be had. */
  readonly source: Source;
  /** Who asked for it last. */
  asker: Dispatch;
  /** Why it may not be given to the plugin any more, if so. */
  readonly overtaken: () => Refused | undefined;
  /** Set by whoever performs it. */
  cancel: () => void;
}
interface Entry {
  readonly running: Running;
  readonly print: string;
  readonly performed: Promise<Performed>;
}
interface Ended {
  readonly print: string;
  readonly performed: Performed;
}
export interface RegistryOptions {
  readonly fences: Fences;
  readonly keptMs: number;
  readonly perform: (running: Running) => Promise<Performed>;
}

const DIFFERENT: Performed = {
  status: "ambiguous",
  code: "WOML_PLUGIN_DISPATCH_DIFFERS",
  message: "Another dispatch was performed under this name.",
};
/** A mistake of ours: nobody knows how far it came. */
const faulty = (error: unknown): Performed => ({
  ...{ status: "ambiguous", code: "WOML_PLUGIN_HOST_FAULT" },
  message: `The plugin host failed: ${error instanceof Error ? error.name : "unknown"}.`,
});

export class Registry {
  readonly #options: RegistryOptions;
  readonly #running = new Map<string, Entry>();
  readonly #ofTenant = new Map<string, number>();
  readonly #kept: Kept<Ended>;
  readonly #buried: Kept<true>;
  readonly #unheard: Kept<true>;
  #movedAt: number = performance.now();
  #closed = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { keptMs: ms } = options;
    this.#kept = new Kept({ ms, count: BOUNDS.keptCount, bytes: BOUNDS.keptBytes });
    this.#buried = new Kept({ ms, count: BOUNDS.keptCount, bytes: BOUNDS.keptBytes });
    this.#unheard = new Kept({ ms, count: BOUNDS.keptCount, bytes: BOUNDS.keptBytes });
  }

  /** Dispatches that are under way. */
  get running(): number {
    return this.#running.size;
  }
  /** Nothing runs, every outcome was heard of, and nobody has asked for anything for so long. */
  isQuiet(forMs: number): boolean {
    return this.#running.size === 0 && this.#unheard.size === 0 && performance.now() - this.#movedAt >= forMs;
  }

  async perform(dispatch: Dispatch, source: Source): Promise<Performed> {
    this.#movedAt = performance.now();
    const refusal = this.#options.fences.check(dispatch);
    if (refusal !== undefined) return refusal;
    const name = nameOf(dispatch);
    const print = printOf(dispatch);
    if (this.#buried.get(name)) return refused("fenced", "It was said to be unknown here, so it is not performed any more.");
    const entry = this.#running.get(name);
    const known = entry ?? this.#kept.get(name);
    if (known !== undefined && known.print !== print) return DIFFERENT;
    if (entry !== undefined) entry.running.asker = dispatch;
    return known === undefined ? this.#begin(name, print, { dispatch, source }) : known.performed;
  }

  async attach(ask: Fence & Named): Promise<Performed | null> {
    this.#movedAt = performance.now();
    const refusal = this.#options.fences.claim(ask);
    if (refusal !== undefined) return refusal;
    const name = nameOf(ask);
    const found = await (this.#running.get(name) ?? this.#kept.get(name))?.performed;
    if (found !== undefined && found.status !== "refused") return found;
    this.#buried.set(name, true, name.length);
    return null;
  }

  /** An engine has what became of it. */
  heard(named: Named): void {
    this.#unheard.delete(nameOf(named));
  }
  cancel(named: Named): void {
    this.#running.get(nameOf(named))?.running.cancel();
  }
  /** Begins nothing more; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map(({ performed }) => performed));
  }

  #begin(name: string, print: string, asked: Pick<Running, "dispatch" | "source">): Promise<Performed> {
    const { dispatch } = asked;
    const { tenant } = dispatch;
    if (this.#closed) return Promise.resolve(refused("unavailable", "The plugin host ends."));
    const ofTenant = this.#ofTenant.get(tenant) ?? 0;
    if (this.#running.size >= BOUNDS.running || ofTenant >= BOUNDS.runningPerTenant)
      return Promise.resolve(refused("overloaded", "Too many operations at once."));
    this.#ofTenant.set(tenant, ofTenant + 1);
    const running: Running = {
      ...asked,
      asker: dispatch,
      overtaken: () => this.#options.fences.recheck(running.asker),
      cancel: () => undefined,
    };
    const performed = this.#options
      .perform(running)
      .catch(faulty)
      .then((outcome) => {
        this.#end(name, { print, performed: outcome }, dispatch);
        return outcome;
      });
    this.#running.set(name, { running, print, performed });
    return performed;
  }
  #end(name: string, ended: Ended, { tenant, effect }: Dispatch): void {
    const left = (this.#ofTenant.get(tenant) ?? 1) - 1;
    if (left === 0) this.#ofTenant.delete(tenant);
    else this.#ofTenant.set(tenant, left);
    this.#running.delete(name);
    const bytes = JSON.stringify(ended).length + name.length;
    if (ended.performed.status === "refused" || effect === "pure") return;
    this.#kept.set(name, ended, bytes);
    this.#unheard.set(name, true, name.length);
  }
}

const nameOf = ({ tenant, run, attempt, key, try: nth }: Named): string => JSON.stringify([tenant, run, attempt, key, nth]);

/** What must be the same wherever the name is. */
function printOf({ release, operation, effect, input }: Dispatch): string {
  return createHash("sha256")
    .update(JSON.stringify([release, operation, effect, input]))
    .digest("base64");
}
