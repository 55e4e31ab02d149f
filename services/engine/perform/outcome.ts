import { type Json, parseJson } from "@woml/model";
import { type Failure, isAction, type Lost } from "@woml/run";
import type { ScriptOutcome as Outcome, OutcomeName } from "@woml/sandbox";
import { SCRIPT_LIMITS } from "../bounds.ts";

/** What an outcome of the sandbox means to the run. `lost` says that the attempt has no outcome and nothing of it can have had an effect. */
export type Verdict =
  | { readonly status: "succeeded"; readonly output: Json; readonly cpuMs: number }
  | { readonly status: "failed"; readonly failure: Failure; readonly cpuMs: number }
  | { readonly lost: Exclude<Lost, "engine"> };

type Failing = Exclude<OutcomeName, "ok" | "worker_crashed" | "host_unavailable" | "overloaded" | "cancelled" | "waiting" | "diverged">;

/** Codes by outcome; the outcome's name is the failure's kind. `says` words it where the sandbox does not. */
const FAILURES: { readonly [K in Failing]: { readonly code: string; readonly says: string } } = {
  script_threw: { code: "WOML_SCRIPT_THROWN", says: "The script threw." },
  script_syntax: { code: "WOML_SCRIPT_SYNTAX_INVALID", says: "The script is not valid JavaScript." },
  invalid_result: { code: "WOML_SCRIPT_NON_JSON_RESULT", says: "The script returned something that is not JSON." },
  result_too_large: { code: "WOML_SCRIPT_RESULT_TOO_LARGE", says: "The script returned more than is allowed." },
  cpu_exceeded: { code: "WOML_SCRIPT_CPU_EXCEEDED", says: "The script used more processor time than is allowed." },
  wall_exceeded: { code: "WOML_SCRIPT_TIMEOUT", says: "The script took longer than is allowed." },
  memory_exceeded: { code: "WOML_SCRIPT_MEMORY_EXCEEDED", says: "The script used more memory than is allowed." },
  protocol_violation: { code: "WOML_SCRIPT_PROTOCOL_VIOLATION", says: "The script broke the sandbox's protocol." },
};

/** Parses what came from where strangers' code runs. `overloaded` never comes here; a `cancelled` that nobody asked for is a lost host. */
export function verdict(node: string, outcome: Outcome): Verdict {
  switch (outcome.outcome) {
    case "ok":
      return result(node, outcome);
    case "worker_crashed":
      return { lost: "worker" };
    case "host_unavailable":
    case "overloaded":
    case "cancelled":
      return { lost: "host" };
    case "invalid_result":
    case "result_too_large":
      // What an action returns is nobody's: most return nothing. A provider that does has not said what it sent, and decide says so.
      if (isAction(node)) return { status: "succeeded", output: null, cpuMs: outcome.cpuMs };
      return failed(outcome.cpuMs, failure(node, outcome.outcome, outcome));
    case "waiting":
    case "diverged":
      return failed(outcome.cpuMs, protocolViolation(node, `${outcome.outcome} is no outcome of an attempt`));
    default:
      return failed(outcome.cpuMs, failure(node, outcome.outcome, outcome));
  }
}

/** What a worker says does not fit together. */
export function protocolViolation(step: string, what: string): Failure {
  const { code, says } = FAILURES.protocol_violation;
  return { code, kind: "protocol_violation", message: `${says} (${what})`, step };
}

function result(node: string, outcome: Outcome): Verdict {
  const parsed = parseJson(outcome.result ?? "", { bytes: SCRIPT_LIMITS.resultBytes });
  if ("value" in parsed) return { status: "succeeded", output: parsed.value, cpuMs: outcome.cpuMs };
  const { code, path, message } = parsed.error;
  const kind = code === "WOML_JSON_TOO_LARGE" ? "result_too_large" : "invalid_result";
  return failed(outcome.cpuMs, failure(node, kind, { ...outcome, detail: path === "" ? message : `${path}: ${message}` }));
}

function failed(cpuMs: number, of: Failure): Verdict {
  return { status: "failed", failure: of, cpuMs };
}

function failure(node: string, kind: Failing, outcome: Outcome): Failure {
  const { code, says } = FAILURES[kind];
  const thrown = outcome.failure;
  const detail = outcome.detail === undefined ? "" : ` (${outcome.detail})`;
  const message = thrown ? thrown.message || thrown.name : `${says}${detail}`;
  return { code, kind, message, step: node, ...(thrown?.stack ? { stack: thrown.stack } : {}) };
}
