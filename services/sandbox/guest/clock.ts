// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Whole } from "./whole.ts";

/** What we use of `Temporal`; the language's own types do not know it yet. */
interface Zoned {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}
interface Instant {
  toZonedDateTimeISO(zone: unknown): Zoned;
}
export interface TemporalLike {
  readonly Now: object;
  readonly Instant: { readonly prototype: Instant; fromEpochMilliseconds(ms: number): Instant };
}

/**
 * The one clock of a script: it stands still within a turn and moves only to where it is told, never back. Everything in the language that
 * could tell another time is dressed to read this one before the script can reach it.
 */
export class Clock {
  now: number;
  readonly #own: Whole;

  constructor(own: Whole, startedAt: number) {
    this.#own = own;
    this.now = startedAt;
  }

  move(at: number): void {
    if (at > this.now) this.now = at;
  }

  /** The prototype stays, so that every date is an instance; what made dates is reachable no more. */
  date(): object {
    const { apply, construct, define, Date: Real } = this.#own;
    const { toString: shown } = Real.prototype;
    const read = (): number => this.now;
    function Virtual(...given: unknown[]): unknown {
      if (new.target === undefined) return apply(shown, new Real(read()), []);
      return construct(Real, given.length === 0 ? [read()] : given, new.target);
    }
    const free = { writable: true, configurable: true };
    define(Virtual, "name", { value: "Date" });
    define(Virtual, "length", { value: 7 });
    define(Virtual, "prototype", { value: Real.prototype, writable: false });
    define(Virtual, "now", { value: read, ...free });
    define(Virtual, "parse", { value: Real.parse, ...free });
    define(Virtual, "UTC", { value: Real.UTC, ...free });
    define(Real.prototype, "constructor", { value: Virtual, ...free });
    return Virtual;
  }

  /** Both take the present where no date is given. */
  intl(): object {
    const { apply, define, descriptorOf, Intl: formats } = this.#own;
    const { prototype } = formats.DateTimeFormat;
    const { formatToParts } = prototype;
    const format = descriptorOf(prototype, "format")?.get;
    const dated = (date: unknown): unknown => (date === undefined ? this.now : date);
    const get = function (this: unknown): unknown {
      const bound = apply(format, this, []);
      return (date?: unknown) => apply(bound, undefined, [dated(date)]);
    };
    const value = function (this: unknown, date?: unknown): unknown {
      return apply(formatToParts, this, [dated(date)]);
    };
    define(prototype, "format", { get });
    define(prototype, "formatToParts", { value });
    return formats;
  }

  temporal({ Now, Instant }: TemporalLike): void {
    const { apply, define, prototypeOf } = this.#own;
    const { fromEpochMilliseconds: made } = Instant;
    const { toZonedDateTimeISO } = Instant.prototype;
    const instant = (): Instant => made(this.now);
    const zoned = (zone: unknown = "UTC"): Zoned => apply(toZonedDateTimeISO, instant(), [zone]) as Zoned;
    const { toPlainDateTime, toPlainDate, toPlainTime } = prototypeOf(zoned()) as Zoned;
    define(Now, "instant", { value: instant });
    define(Now, "zonedDateTimeISO", { value: zoned });
    define(Now, "plainDateTimeISO", { value: (zone?: unknown) => apply(toPlainDateTime, zoned(zone), []) });
    define(Now, "plainDateISO", { value: (zone?: unknown) => apply(toPlainDate, zoned(zone), []) });
    define(Now, "plainTimeISO", { value: (zone?: unknown) => apply(toPlainTime, zoned(zone), []) });
  }
}
