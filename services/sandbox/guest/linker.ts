// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Whole } from "./whole.ts";

/** What a module's body is called with: what its script may call. */
export type Seen = readonly unknown[];
type Surface = Readonly<Record<string, unknown>>;

/**
 * Runs modules, each once and one after the other, and makes what a script calls them by. From the first body on all that runs here may run in a
 * realm that an author has changed: it asks nothing but `own`.
 */
export class Linker {
  readonly #own: Whole;
  /** By alias the number of a body. */
  readonly #modules: readonly (readonly [alias: string, body: number])[];

  constructor(own: Whole, modules: readonly (readonly [alias: string, body: number])[]) {
    this.#own = own;
    this.#modules = modules;
  }

  /** `services` with the modules in it: one hides an alias of the platform's that is its own. */
  async link(bodies: readonly unknown[], services: Surface, seen: Seen): Promise<object> {
    const { setPrototype, define, keysOf, freeze } = this.#own;
    const surfaces: object[] = setPrototype([], null);
    for (let i = 0; i < bodies.length; i++) surfaces[i] = this.#surface(await this.#own.apply(bodies[i], undefined, seen));
    const all = setPrototype({}, null) as object;
    for (let i = 0; i < this.#modules.length; i++) {
      const named = this.#modules[i] as { readonly 0: string; readonly 1: number };
      define(all, named[0], { value: surfaces[named[1]], enumerable: true });
    }
    const aliases = keysOf(services);
    for (let i = 0; i < aliases.length; i++) {
      const alias = aliases[i] as string;
      if (this.#own.descriptorOf(all, alias) === undefined) define(all, alias, { value: services[alias], enumerable: true });
    }
    return freeze(all);
  }

  /** The functions that a module exports, and no others: none of them can be replaced, and none is a property of all objects. */
  #surface(answered: unknown): object {
    const own = this.#own;
    const { exports } = answered as { readonly exports: Surface };
    const surface = own.setPrototype({}, null) as object;
    const names = own.keysOf(exports);
    for (let i = 0; i < names.length; i++) {
      const fn = exports[names[i] as string];
      const value = own.freeze((...given: unknown[]) => own.apply(fn, undefined, given));
      own.define(surface, names[i] as string, { value, enumerable: true });
    }
    return own.freeze(surface);
  }
}
