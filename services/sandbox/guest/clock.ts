// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";

/** What we use of `Temporal`; the language's own types do not know it yet. */
interface Zoned {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}
interface Instant {
  toZonedDateTimeISO(zone: unknown): Zoned;
}
interface TemporalLike {
  readonly Now: object;
  readonly Instant: { readonly prototype: Instant; fromEpochMilliseconds(ms: number): Instant };
}

/**
 * The one clock of a script: it stands still within a turn and moves only to where it is told, never back. Everything in the language that
 * could tell another time reads this one.
 */
export class Clock {
  now = 0;
  readonly #own: Own;

  constructor(own: Own) {
    this.#own = own;
    this.#date();
    this.#intl();
  }

  move(at: number): void {
    if (at > this.now) this.now = at;
  }

  /** Its first use costs as much as a context, so it is there for scripts that name it, with our clock, and for no other. */
  temporal(named: boolean): void {
    const globals = globalThis as unknown as { Temporal?: TemporalLike };
    if (!named) delete globals.Temporal;
    else if (globals.Temporal !== undefined) this.#temporal(globals.Temporal);
  }

  /** The prototype stays, so that every date is an instance; what made dates is reachable no more. */
  #date(): void {
    const { apply, construct, define } = this.#own;
    const Real = Date;
    const { toString: shown } = Date.prototype;
    const read = () => this.now;
    function Virtual(...given: unknown[]): unknown {
      if (new.target === undefined) return apply(shown, new Real(read()), []);
      return construct(Real, given.length === 0 ? [read()] : given, new.target);
    }
    const fixed = { writable: false, enumerable: false, configurable: false };
    define(Virtual, "name", { value: "Date" });
    define(Virtual, "length", { value: 7 });
    define(Virtual, "prototype", { value: Real.prototype, ...fixed });
    for (const [key, value] of [
      ["now", read],
      ["parse", Real.parse],
      ["UTC", Real.UTC],
    ] as const)
      define(Virtual, key, { value, writable: true, configurable: true });
    define(Real.prototype, "constructor", { value: Virtual, writable: true, configurable: true });
    define(globalThis, "Date", { value: Virtual, writable: true, configurable: true });
  }

  /** Both take the present where no date is given. */
  #intl(): void {
    const { apply, define, descriptorOf } = this.#own;
    const { prototype } = Intl.DateTimeFormat;
    const { formatToParts } = prototype;
    const format = descriptorOf(prototype, "format")?.get;
    const dated = (date: unknown) => (date === undefined ? this.now : date);
    define(prototype, "format", {
      get(this: unknown) {
        const bound = apply(format, this, []);
        return (date?: unknown) => apply(bound, undefined, [dated(date)]);
      },
    });
    define(prototype, "formatToParts", {
      value(this: unknown, date?: unknown) {
        return apply(formatToParts, this, [dated(date)]);
      },
    });
  }

  #temporal({ Now, Instant }: TemporalLike): void {
    const { apply, define, prototypeOf } = this.#own;
    const { fromEpochMilliseconds: made } = Instant;
    const { toZonedDateTimeISO } = Instant.prototype;
    const instant = (): Instant => made(this.now);
    const zoned = (zone: unknown = "UTC"): Zoned => apply(toZonedDateTimeISO, instant(), [zone]) as Zoned;
    const { toPlainDateTime, toPlainDate, toPlainTime } = prototypeOf(zoned()) as Zoned;
    const named: Readonly<Record<string, (zone?: unknown) => unknown>> = {
      instant,
      zonedDateTimeISO: zoned,
      plainDateTimeISO: (zone) => apply(toPlainDateTime, zoned(zone), []),
      plainDateISO: (zone) => apply(toPlainDate, zoned(zone), []),
      plainTimeISO: (zone) => apply(toPlainTime, zoned(zone), []),
    };
    for (const [key, value] of Object.entries(named)) define(Now, key, { value });
  }
}
