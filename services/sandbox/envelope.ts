import { BOUNDS } from "./bounds.ts";
import type { Outcome, Run, ScriptFailure } from "./frames.ts";
import { parametersOf, wrapperFrame } from "./guest/text.ts";
import type { SyntaxFault } from "./isolate.ts";
import { authoredStack } from "./stack.ts";

export type Verdict = Pick<Outcome, "outcome" | "result" | "failure" | "detail" | "open">;

/** What a guest says it came to: a letter, then its text. Nothing in it is believed. */
export function verdictOf(envelope: string, run: Run): Verdict {
  const { resultBytes } = run.limits;
  const tag = envelope[0];
  const rest = envelope.slice(1);
  const [first, second, third, call] = textsOf(tag === "i" || tag === "t" ? rest : "[]");
  if (tag === "k") return resultOf(rest, resultBytes);
  if (tag === "l") return { outcome: "result_too_large", detail: `limit ${resultBytes} bytes, result at least ${rest} bytes` };
  if (tag === "i" && first !== undefined && second !== undefined) {
    return { outcome: "invalid_result", detail: `${first}: ${second}`.slice(0, BOUNDS.detailChars) };
  }
  if (tag === "t" && first !== undefined && second !== undefined && third !== undefined) {
    const thrownOn = Number(call) > 0 ? { call: Number(call) } : {};
    return { outcome: "script_threw", failure: { name: first, message: second, stack: authored(third, run), ...thrownOn } };
  }
  return { outcome: "protocol_violation", detail: "an envelope no guest sends" };
}
function resultOf(text: string, maxBytes: number): Verdict {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { outcome: "ok", result: text };
  return { outcome: "result_too_large", detail: `limit ${maxBytes} bytes, result ${bytes} bytes` };
}
function textsOf(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every((part) => typeof part === "string") ? value : [];
  } catch {
    return [];
  }
}

export function syntaxFailure(fault: SyntaxFault): ScriptFailure {
  const at = fault.where === "" ? "" : `\n    at ${fault.where}`;
  const message = fault.message.slice(0, BOUNDS.messageChars);
  return { name: "SyntaxError", message, stack: `SyntaxError: ${message}${at}`.slice(0, BOUNDS.stackChars) };
}
/** A rejection nobody held comes as a copy in this realm: an Error, or a primitive. */
export function failureOf(error: unknown, run: Run): ScriptFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error).slice(0, BOUNDS.messageChars), stack: "" };
  const stack = typeof error.stack === "string" ? authored(error.stack.slice(0, 4 * BOUNDS.stackChars), run) : "";
  return {
    name: error.name.slice(0, BOUNDS.nameChars),
    message: error.message.slice(0, BOUNDS.messageChars),
    stack: stack.slice(0, BOUNDS.stackChars),
  };
}
function authored(stack: string, run: Run): string {
  return authoredStack(stack, wrapperFrame(run.script, parametersOf(run)));
}
