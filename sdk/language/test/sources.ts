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
