import type { Failure } from "@woml/run";
import type { ScriptOutcome as Outcome } from "@woml/sandbox";
import type { Flight } from "../flights.ts";
import type { Asked } from "../judge.ts";
import { verdict } from "./outcome.ts";

/** The command that an outcome becomes. */
export function reportOf(flight: Flight, outcome: Outcome): Asked {
  const said = verdict(flight.node, outcome);
  const { node, attempt, resumed } = flight;
  if ("lost" in said) return { command: { kind: "resume_attempt", node, attempt, lost: said.lost }, request: null, resumed };
  return { command: { kind: "report_attempt", node, attempt, outcome: said }, request: null, length: outcome.result?.length ?? 0 };
}

export function failedReport({ node, attempt }: Flight, failure: Failure): Asked {
  return { command: { kind: "report_attempt", node, attempt, outcome: { status: "failed", failure, cpuMs: 0 } }, request: null };
}

/** An attempt found open in the log of a run that another engine drove. */
export function lostWithEngine({ node, attempt, resumed }: Flight): Asked {
  return { command: { kind: "resume_attempt", node, attempt, lost: "engine" }, request: null, resumed };
}

/** What a report becomes when the store refuses to keep it: a small failure in its place. null: it is no report, or that was it already. */
export function rejected({ command }: Asked): Asked | null {
  if (command.kind !== "report_attempt") return null;
  const { node, attempt, outcome } = command;
  if (outcome.status === "failed" && outcome.failure.kind === "event_rejected") return null;
  const message = "The store refuses the outcome of this step.";
  const failure: Failure = { code: "WOML_EVENT_REJECTED", kind: "event_rejected", message, step: node };
  return {
    command: { kind: "report_attempt", node, attempt, outcome: { status: "failed", failure, cpuMs: outcome.cpuMs } },
    request: null,
  };
}
