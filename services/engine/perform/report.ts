import { type Failure, operationId } from "@woml/run";
import type { ScriptOutcome as Outcome } from "@woml/sandbox";
import type { Flight } from "../flights.ts";
import type { Asked } from "../judge.ts";
import { protocolViolation, verdict } from "./outcome.ts";

type Execution = Pick<Flight, "node" | "attempt" | "resumed">;
/** What an execution had done when it ended. */
interface Done {
  readonly calls: number;
  /** Calls that its journal holds. */
  readonly recorded: number;
  /** Whether anything new was called, told or is still open: only then it can have waited for something. */
  readonly hasMoved: boolean;
}
/** `isFinal`: the attempt's outcome, which comes after those of its operations. */
interface Concluded {
  readonly isFinal: boolean;
  readonly of: () => Asked;
}

/** Outcomes that a script comes to by itself: its journal must have been played to the end. */
const ITS_OWN: ReadonlySet<string> = new Set(["ok", "script_threw", "invalid_result", "result_too_large"]);

/** What the end of an execution asks of the run. */
export function askOf(flight: Execution, outcome: Outcome, { calls, recorded, hasMoved }: Done): Concluded {
  const { node, attempt, resumed } = flight;
  if (outcome.outcome === "diverged") return now(() => divergeReport(flight, outcome.detail ?? "the replay did something else"));
  if (ITS_OWN.has(outcome.outcome) && calls < recorded)
    return now(() => divergeReport(flight, `it ended after ${calls} calls, and had made ${recorded}`));
  const isOpen = outcome.outcome === "waiting" || (outcome.outcome === "wall_exceeded" && (outcome.open?.length ?? 0) > 0);
  if (isOpen && hasMoved) return now(() => parkReport(flight));
  if (outcome.outcome === "waiting") return final(() => violation(flight, "it waits for nothing"));
  const said = verdict(node, outcome);
  if ("lost" in said) return now(() => ({ command: { kind: "resume_attempt", node, attempt, lost: said.lost }, request: null, resumed }));
  const call = outcome.failure?.call;
  const thrown = said.status === "failed" && call !== undefined && call >= 1 && call <= calls ? { ...said, call } : said;
  const length = outcome.result?.length ?? 0;
  return final(() => ({ command: { kind: "report_attempt", node, attempt, outcome: thrown }, request: null, resumed, length }));
}

export function failedReport({ node, attempt, resumed }: Execution, failure: Failure): Asked {
  return { command: { kind: "report_attempt", node, attempt, outcome: { status: "failed", failure, cpuMs: 0 } }, request: null, resumed };
}

/** Its operations go on without it. */
export function parkReport({ node, attempt, resumed }: Execution): Asked {
  return { command: { kind: "park_attempt", node, attempt }, request: null, resumed };
}

/** What a worker says does not fit together. */
export function violation(flight: Execution, what: string): Asked {
  return failedReport(flight, protocolViolation(flight.node, what));
}

export function divergeReport({ node, attempt, resumed }: Execution, detail: string): Asked {
  return { command: { kind: "diverge_attempt", node, attempt, detail }, request: null, resumed };
}

/** An attempt found open in the log of a run that another engine drove. */
export function lostWithEngine({ node, attempt, resumed }: Execution): Asked {
  return { command: { kind: "resume_attempt", node, attempt, lost: "engine" }, request: null, resumed };
}

/**
 * What the store will keep in place of what it refused: less. null: there is nothing less to say. An effect whose result cannot be kept has
 * happened all the same.
 */
export function rejected({ command }: Asked): Asked | null {
  if (command.kind === "report_attempt") return rejectedOutcome(command);
  if (command.kind === "report_operation") return rejectedAnswer(command);
  return null;
}

type Of<K extends Asked["command"]["kind"]> = Extract<Asked["command"], { readonly kind: K }>;

function rejectedOutcome({ node, attempt, outcome }: Of<"report_attempt">): Asked | null {
  if (outcome.status === "failed" && outcome.failure.kind === "event_rejected") return null;
  const message = "The store refuses the outcome of this step.";
  const failure: Failure = { code: "WOML_EVENT_REJECTED", kind: "event_rejected", message, step: node };
  return {
    command: { kind: "report_attempt", node, attempt, outcome: { status: "failed", failure, cpuMs: outcome.cpuMs } },
    request: null,
  };
}

function rejectedAnswer(command: Of<"report_operation">): Asked | null {
  const { said, node, attempt, call } = command;
  const failure = {
    code: "WOML_EVENT_REJECTED",
    message: `The store refuses the answer of ${operationId(node, attempt, call)}.`,
    retryable: false,
  };
  switch (said.status) {
    case "failed":
      return said.failure.code === failure.code
        ? null
        : answer(command, { ...said, failure: { ...failure, ambiguous: false }, evidence: "" });
    case "succeeded":
      return answer(command, { status: "ambiguous", failure: { ...failure, ambiguous: true } });
    case "ambiguous":
      return said.failure.code === failure.code ? null : answer(command, { ...said, failure: { ...failure, ambiguous: true } });
    default:
      return null;
  }
}

function answer(command: Of<"report_operation">, said: Of<"report_operation">["said"]): Asked {
  return { command: { ...command, said }, request: null };
}

const now = (of: () => Asked): Concluded => ({ isFinal: false, of });
const final = (of: () => Asked): Concluded => ({ isFinal: true, of });
