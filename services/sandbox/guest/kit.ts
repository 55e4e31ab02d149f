// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Bounds } from "../bounds.ts";
import type { Bridge } from "./bridge.ts";
import type { Chance } from "./chance.ts";
import type { Clock, TemporalLike } from "./clock.ts";
import type { Encoding } from "./encoding.ts";
import type { fetchOver } from "./fetch.ts";
import type { Globals } from "./globals.ts";
import type { Handles } from "./handles.ts";
import type { Linker } from "./linker.ts";
import type { Own } from "./own.ts";
import type { Emit, Setting } from "./realm.ts";
import type { Writer } from "./result.ts";
import type { shapeOf } from "./shape.ts";
import type { Stream } from "./stream.ts";
import type { Timers } from "./timers.ts";
import type { Whole, whole } from "./whole.ts";

/** The guest's classes, each behind a function: a class costs a context only where it is asked for. */
export interface Lazy {
  readonly whole: () => typeof whole;
  readonly Bridge: () => typeof Bridge;
  readonly Clock: () => typeof Clock;
  readonly Timers: () => typeof Timers;
  readonly Chance: () => typeof Chance;
  readonly Stream: () => typeof Stream;
  readonly Encoding: () => typeof Encoding;
  readonly Handles: () => typeof Handles;
  readonly Globals: () => typeof Globals;
  readonly Linker: () => typeof Linker;
  readonly fetchOver: () => typeof fetchOver;
  readonly shapeOf: () => typeof shapeOf;
}
export interface KitParts {
  readonly own: Own;
  readonly bounds: Bounds;
  readonly lazy: Lazy;
  readonly Writer: typeof Writer;
  readonly setting: Setting;
  readonly emit: Emit;
}

/** Each of the last two is there or not. */
export interface Offered {
  readonly services: object;
  readonly secrets: object;
  readonly fetch: readonly object[];
  readonly host: readonly object[];
}

/** What a script may use beyond its context and its result. A script that uses none has no kit. */
export class Kit {
  readonly #parts: KitParts;
  readonly #own: Whole;
  readonly clock: Clock;
  readonly #write: (value: unknown, maxChars: number) => ReturnType<Writer["write"]>;
  #bridge: Bridge | undefined;
  #timers: Timers | undefined;
  #chance: Chance | undefined;
  #encoding: Encoding | undefined;
  #handles: Handles | undefined;
  #globals: Globals | undefined;

  constructor(parts: KitParts) {
    const { own, bounds, lazy, Writer: Writes, setting } = parts;
    this.#parts = parts;
    this.#own = lazy.whole()(own);
    this.clock = new (lazy.Clock())(this.#own, setting.startedAt);
    this.#write = (value, maxChars) => new Writes(own, bounds.resultDepth).write(value, maxChars);
  }

  get bridge(): Bridge {
    const { bounds, lazy, emit } = this.#parts;
    this.#bridge ??= new (lazy.Bridge())({
      ...{ own: this.#own, write: this.#write, shapeOf: lazy.shapeOf() },
      ...{ maxInFlight: bounds.callsInFlight, maxCalls: bounds.calls, maxBytes: bounds.callBytes },
      emit: (call, operation, name, input) => emit("call", call, operation, name, input),
    });
    return this.#bridge;
  }
  /** What a script is offered beside what it is told. Before any author's code has run. */
  offered(): Offered {
    const { operations } = this.#parts.setting;
    const plain = operations.filter((name) => !name.includes("."));
    const fetches = operations.includes("http.request");
    return {
      services: this.bridge.services(operations),
      secrets: this.#secrets.secrets,
      fetch: fetches ? [this.#own.freeze(this.#parts.lazy.fetchOver()(this.#own, (input) => this.#request(input)))] : [],
      host: plain.length > 0 ? [this.#host(plain)] : [],
    };
  }
  /** `services` as a script with modules has them. Runs the modules. */
  linked(bodies: readonly unknown[], { services, fetch }: Offered): Promise<object> {
    const { lazy, setting } = this.#parts;
    const linker = new (lazy.Linker())(this.#own, setting.modules);
    return linker.link(bodies, services as Readonly<Record<string, unknown>>, fetch.length > 0 ? [services, fetch[0]] : [services]);
  }
  #request(input: unknown): Promise<unknown> {
    return this.bridge.call("http.request", input, undefined);
  }
  #host(plain: readonly string[]): object {
    const known = (name: unknown): string | null => {
      for (let i = 0; i < plain.length; i++) if (plain[i] === name) return plain[i] as string;
      return null;
    };
    return this.#own.freeze((name: unknown, input: unknown, options: unknown) => this.bridge.call(known(name), input, options));
  }

  /** A global that is made when it is first asked for. */
  named(name: string): object {
    if (name === "Date") return this.clock.date();
    if (name === "Intl") return this.clock.intl();
    if (name === "setTimeout") return this.timers.set;
    if (name === "clearTimeout") return this.timers.clear;
    if (name === "encodeURIComponent") return (value: unknown) => this.#secrets.encodeUri(value);
    if (name === "crypto") return this.#chances.crypto();
    this.#globals ??= new (this.#parts.lazy.Globals())({
      ...{ own: this.#own, write: this.#write, handles: this.#secrets },
      encoding: () => this.#encodes,
    });
    return this.#globals.named(name);
  }
  temporal(temporal: TemporalLike): void {
    this.clock.temporal(temporal);
  }
  random(): number {
    return this.#chances.random();
  }
  get timers(): Timers {
    const { bounds, lazy, emit } = this.#parts;
    this.#timers ??= new (lazy.Timers())({
      ...{ own: this.#own, clock: this.clock, maxTimers: bounds.timers, maxDelayMs: bounds.timerMs },
      emit: (timer, delayMs) => emit("timer", timer, delayMs),
    });
    return this.#timers;
  }

  get #chances(): Chance {
    const { lazy, setting } = this.#parts;
    this.#chance ??= new (lazy.Chance())(this.#own, lazy.Stream(), setting.chance);
    return this.#chance;
  }
  get #encodes(): Encoding {
    this.#encoding ??= new (this.#parts.lazy.Encoding())(this.#own);
    return this.#encoding;
  }
  get #secrets(): Handles {
    const { lazy, setting } = this.#parts;
    this.#handles ??= new (lazy.Handles())(this.#own, setting.secrets, () => this.#encodes);
    return this.#handles;
  }
}
