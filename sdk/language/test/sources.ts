import { type Compiled, compile } from "../index.ts";

/** A workflow around `steps`, on one line; `more` stands before `<steps>`. */
export const workflow = (steps: string, more = '<triggers><manual id="go" /></triggers>'): string =>
  `<woml><workflow id="w">${more}<steps>${steps}</steps></workflow></woml>`;

export const step = (id: string, body = "return 1;", attributes = ""): string =>
  `<step id="${id}"${attributes && ` ${attributes}`}><script>${body}</script></step>`;

export const result = (value: string): string => `<result value="${value}" />`;

export const choose = (id: string, test: string, arms: readonly [string, string]): string =>
  `<choose id="${id}"><when test="${test}">${arms[0]}</when><otherwise>${arms[1]}</otherwise></choose>`;

export const check = (text: string): Compiled => compile({ path: "flow.woml", text });
export const codes = (text: string): readonly string[] => check(text).diagnostics.map(({ code }) => code);
/** What each diagnostic points at. */
export const marked = (text: string): readonly string[] =>
  check(text).diagnostics.map(({ start, end }) => text.slice(start?.offset ?? 0, end?.offset ?? 0));

/** Milliseconds of the processor that something takes; the machine may be busy with something else meanwhile. */
export function spentMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The same of the cheapest of three goes, since whatever else happens only adds. */
export const cheapestMs = (run: () => unknown): number => Math.min(spentMs(run), spentMs(run), spentMs(run));

/** Below what `growth` is of a cost that is linear, with room for a busy machine and for the memory that a long text takes. */
export const LINEAR = 64;

/**
 * How many times as much of the processor something takes at sixteen times the length: near 16 when it costs what is long, near 256 when
 * it costs the square of it. The cheapest of three goes each, since whatever else happens only adds; of up to ten while it looks like more.
 */
export function growth(length: number, prepared: (length: number) => () => unknown): number {
  const spent = (at: number): number => spentMs(prepared(at));
  let [short, long] = [spent(length), Number.POSITIVE_INFINITY];
  for (let go = 1; go <= 3 || (go <= 10 && long >= LINEAR * short); go++) {
    short = Math.min(short, spent(length));
    long = Math.min(long, spent(length * 16));
  }
  return long / short;
}
