/** Signals of the platform's own, as they follow from the events of an append: with it they are stored, or not at all. */
import { type Announcement, quotaReached, reachedCode } from "@woml/prisma";
import { type NewEvent, operationId, type RunId, type RunState, showRunId, showVersionId } from "@woml/run";
import type { Asked } from "../judge.ts";
import { wasPerformed } from "./own.ts";
import { lineageOf } from "./workflows.ts";

/** Of what a failure says; the whole of it stands in the run. */
const MESSAGE = 1_024;

/** So many signals of one name follow from one another: of what fails, and of an alarm that fails. */
const DEPTH = 2;

/**
 * `after` is what the run is with these events. Of workflows that all hear of failures and all fail, each starts all others that it does not stand below: in
 * any depth that would be millions of runs of ten.
 */
export function announcementsOf(run: RunId, after: RunState, events: readonly NewEvent[]): readonly Announcement[] {
  const above = lineageOf(after);
  return toldOf(run, after, events).filter(({ name }) => above.filter((one) => one === name).length < DEPTH);
}

function toldOf(run: RunId, after: RunState, events: readonly NewEvent[]): readonly Announcement[] {
  const { admitted } = after;
  if (admitted === null) return [];
  const of = { runId: showRunId(run), workflowId: admitted.workflow, versionId: showVersionId(admitted.version) };
  const lineage = lineageOf(after);
  return events.flatMap((event): readonly Announcement[] => {
    if (event.type === "run_failed") {
      const { code, message } = event.data.failure;
      return [{ name: "woml.run-failed", key: run, lineage, payload: { ...of, code, message: short(message) } }];
    }
    const unknown = unknownIn(after, event);
    return unknown === null
      ? []
      : [{ name: "woml.run-needs-resolution", key: `${run} ${unknown.operationId}`, lineage, payload: { ...of, ...unknown } }];
  });
}

/** That a quota keeps back what a script wants to start, as these events have it: whoever stands above hears nothing of it. */
export function quotaReachedBy(after: RunState, { command }: Asked, events: readonly NewEvent[], now: number): readonly Announcement[] {
  if (command.kind !== "call_operation" || !("called" in command.asked)) return [];
  const { drawn } = command.asked;
  if (drawn === undefined || drawn.of === "state" || drawn.reached === null || drawn.reached.quota === null) return [];
  const code = reachedCode(drawn.reached);
  const isRefused = events.some(
    ({ type, data }) => type === "operation_settled" && "failure" in data.outcome && data.outcome.failure.code === code,
  );
  const isWhy = drawn.of === "events" ? wasPerformed(command, events) : isRefused;
  return isWhy ? [quotaReached(drawn.reached, now, lineageOf(after))] : [];
}

interface Unknown {
  /** As the API has it: of an attempt that diverged, the attempt. */
  readonly operationId: string;
  readonly capability: string | null;
  readonly operation: string | null;
  readonly message: string;
}

/** What a person is asked about from this event on. */
function unknownIn(after: RunState, event: NewEvent): Unknown | null {
  if (after.stop !== null || after.ended !== null) return null;
  if (event.type === "attempt_diverged") {
    const { node, attempt, detail } = event.data;
    return { operationId: `${node}:${attempt}`, capability: null, operation: null, message: short(detail) };
  }
  if (event.type !== "operation_settled" || event.data.outcome.status !== "unknown" || event.data.outcome.told) return null;
  const { node, attempt, call, outcome } = event.data;
  const id = operationId(node, attempt, call);
  const { capability = null, operation = null } = after.operations.get(id) ?? {};
  return { operationId: id, capability, operation, message: short(outcome.failure.message) };
}

const short = (text: string): string => (text.length > MESSAGE ? `${text.slice(0, MESSAGE).toWellFormed()}…` : text);
