/**
 * How a call ended, in the supervisor's words. What the plugin says of itself is not enough where money could be lost:
 * 1. `left` is ours: a byte of some request of this call may have left. What a dead, silent, late or garbling plugin may have done is
 *    ambiguous exactly then; otherwise, and where the operation is pure, it is a known failure. A pure call that had asked for
 *    something and lost its process, or passes on that no whole answer came, is ambiguous too: it is performed again.
 * 2. A request that ended ambiguous makes a failed call ambiguous, whatever the plugin made of it. So does one that nobody waited for.
 * 3. A plugin that succeeds after an ambiguous request has succeeded: it found out.
 * 4. A result counts when it is JSON, within its size and of the shape its manifest promises.
 * 5. No known value of a secret, and no placeholder, is in anything that leaves here; a code that held one is replaced as a whole.
 */
import { faults, type OperationManifest } from "@woml/capability";
import { BOUNDS } from "./bounds.ts";
import type { EgressCode } from "./broker/answer.ts";
import type { Redactor } from "./broker/redact.ts";
import type { Dispatch, Found, Performed } from "./door.ts";
import { parseFound } from "./found.ts";
import { depthOf, message, redactedJson } from "./texts.ts";

export type Ending =
  | { readonly ended: "performed" | "found"; readonly text: string }
  | { readonly ended: "unfit"; readonly why: "too_large" | "not_json" }
  /** `code` null: it was no PluginFailure. */
  | { readonly ended: "threw"; readonly code: string | null; readonly message: string; readonly ambiguous: boolean }
  | { readonly ended: "lost"; readonly how: string }
  | { readonly ended: "timed_out"; readonly afterMs: number };

/** What a call's requests came to. */
export interface Traffic {
  /** It asked for something at all. */
  readonly asked: boolean;
  readonly left: boolean;
  readonly ambiguous: boolean;
  /** Codes of known failures that a later attempt may cure. */
  readonly curable: ReadonlySet<string>;
  /** In words. */
  readonly summary: string;
}
export interface Judged {
  readonly operation: OperationManifest;
  readonly effect: Dispatch["effect"];
  readonly traffic: Traffic;
  readonly redactor: Redactor;
}

/** Of the broker: a request of an operation that only reads was sent, and no whole answer came. */
const ANSWER_LOST: EgressCode = "WOML_EGRESS_ANSWER_LOST";
const CODE = /^[A-Z][A-Z0-9_]{0,127}$/;

export function judgePerformed(ending: Ending, judged: Judged): Performed {
  return coded(judgeEnding(ending, judged));
}

/** Nothing was asked that could have had an effect, so what is not an answer means that it cannot tell. */
export function judgeFound(ending: Ending, judged: Judged): Found {
  return coded(judgeFinding(ending, judged));
}

/** Without its secret a code is none any more: whoever reads it would take it for another one, or for nothing that can be read. */
function coded<T extends Performed | Found>(judged: T): T {
  return "code" in judged && !CODE.test(judged.code) ? { ...judged, code: "WOML_PLUGIN_CODE_HIDDEN" } : judged;
}

function judgeEnding(ending: Ending, judged: Judged): Performed {
  if (ending.ended === "performed") return judgeResult(ending.text, judged);
  if (ending.ended === "threw" && ending.code !== null && CODE.test(ending.code)) return judgeFailure(ending.code, ending, judged);
  if (ending.ended === "unfit") return judgeUnfit(ending.why, judged);
  if (ending.ended === "timed_out") return broken("WOML_PLUGIN_TIMEOUT", `The plugin did not answer within ${ending.afterMs} ms.`, judged);
  if (ending.ended === "lost") return judgeLost(`The plugin's process ended: ${ending.how}.`, judged);
  return broken("WOML_PLUGIN_CRASHED", ending.ended === "threw" ? `The plugin broke: ${ending.message}` : "It answered no result.", judged);
}

function judgeFinding(ending: Ending, { operation, redactor }: Judged): Found {
  const unknown = (text: string): Found => ({ status: "unknown", message: message(redactor, text) });
  if (ending.ended === "timed_out") return unknown(`The plugin did not answer within ${ending.afterMs} ms.`);
  if (ending.ended === "lost") return unknown(`The plugin's process ended: ${ending.how}.`);
  if (ending.ended === "threw") return unknown(`The plugin could not tell: ${ending.code ?? ""} ${ending.message}`);
  const found = ending.ended === "found" ? parseFound(ending.text) : "it answered no finding";
  if (typeof found === "string") return unknown(`The plugin's answer cannot be taken: ${found}.`);
  if (found.status === "failed") return { ...found, code: message(redactor, found.code), message: message(redactor, found.message) };
  if (found.status !== "succeeded") return found;
  const result = accept(found.result, operation, redactor);
  return "text" in result
    ? { status: "succeeded", result: result.text }
    : unknown(`The result that it found cannot be taken: ${result.why}.`);
}

function judgeResult(text: string, judged: Judged): Performed {
  const result = accept(text, judged.operation, judged.redactor);
  if ("text" in result) return { status: "succeeded", result: result.text, evidence: judged.traffic.summary };
  return broken(result.code, `The plugin's result cannot be taken: ${result.why}.`, judged);
}

function judgeUnfit(why: "too_large" | "not_json", judged: Judged): Performed {
  if (why === "not_json") return broken("WOML_PLUGIN_RESULT_INVALID", "The plugin's result cannot be taken: it is not JSON.", judged);
  return broken("WOML_PLUGIN_RESULT_TOO_LARGE", "The plugin's result cannot be taken: it is too large.", judged);
}

function judgeFailure(code: string, said: Extract<Ending, { ended: "threw" }>, judged: Judged): Performed {
  const { operation, effect, traffic, redactor } = judged;
  const told = { code: message(redactor, code), message: message(redactor, said.message) };
  if (effect !== "pure" && (said.ambiguous || traffic.ambiguous)) return { status: "ambiguous", ...told };
  const isLost = code === ANSWER_LOST && traffic.curable.has(code);
  if (isLost) return { status: "ambiguous", ...told };
  const retryable = (operation.retryable?.includes(code) ?? false) || traffic.curable.has(code);
  return { status: "failed", ...told, retryable, evidence: traffic.summary };
}

function broken(code: string, text: string, { effect, traffic, redactor }: Judged): Performed {
  const told = { code, message: message(redactor, text) };
  if (effect !== "pure" && (traffic.left || traffic.ambiguous)) return { status: "ambiguous", ...told };
  return { status: "failed", ...told, retryable: true, evidence: traffic.summary };
}

function judgeLost(text: string, judged: Judged): Performed {
  const { effect, traffic, redactor } = judged;
  const isOpen = traffic.left || traffic.ambiguous || (effect === "pure" && traffic.asked);
  if (!isOpen) return broken("WOML_PLUGIN_CRASHED", text, judged);
  return { status: "ambiguous", code: "WOML_PLUGIN_CRASHED", message: message(redactor, text) };
}

type Accepted = { readonly text: string } | { readonly code: string; readonly why: string };
function accept(text: string, { output, maxOutputBytes }: OperationManifest, redactor: Redactor): Accepted {
  const most = Math.min(maxOutputBytes, BOUNDS.resultBytes);
  const tooLarge: Accepted = { code: "WOML_PLUGIN_RESULT_TOO_LARGE", why: `it is larger than ${most} bytes` };
  if (Buffer.byteLength(text) > most) return tooLarge;
  if (depthOf(text) > BOUNDS.resultDepth) return { code: "WOML_PLUGIN_RESULT_INVALID", why: `it nests deeper than ${BOUNDS.resultDepth}` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: "WOML_PLUGIN_RESULT_INVALID", why: "it is not JSON" };
  }
  const [fault] = faults(output, value);
  if (fault !== undefined) return { code: "WOML_PLUGIN_RESULT_INVALID", why: fault };
  const safe = redactedJson(redactor, value);
  return Buffer.byteLength(safe) > BOUNDS.resultBytes ? tooLarge : { text: safe };
}
