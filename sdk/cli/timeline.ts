import type { AttemptView, RunView, StepView } from "@woml/run";
import { plain } from "./plain.ts";
import { styled, table } from "./terminal.ts";

const HEAD = ["STEP", "ATTEMPT", "OUTCOME", "DURATION", "OUTPUT"];

/** A run for people: a line per attempt in order of their starts, then how it ended or why it waits. */
export function timeline(run: RunView): string {
  const attempts = run.steps.flatMap((step) => step.attempts.map((attempt) => ({ step, attempt })));
  const ordered = attempts.toSorted((a, b) => Date.parse(a.attempt.startedAt) - Date.parse(b.attempt.startedAt));
  const rows = ordered.map(({ step, attempt }) => row(step, attempt));
  return [title(run), ...(rows.length > 0 ? [table([HEAD, ...rows])] : []), ending(run)].join("\n");
}

function row(step: StepView, attempt: AttemptView): readonly string[] {
  return [
    step.id,
    String(attempt.number),
    attempt.outcome ?? "running",
    duration(attempt.startedAt, attempt.endedAt),
    shown(step, attempt),
  ];
}

function shown(step: StepView, attempt: AttemptView): string {
  if (attempt.failure) return `${attempt.failure.code}: ${attempt.failure.message}`;
  return attempt.outcome === "succeeded" ? JSON.stringify(step.output) : "";
}

/** Wall time by the events of the log, in whole milliseconds. */
function duration(from: string, to: string | null): string {
  if (to === null) return "";
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function title(run: RunView): string {
  const first = run.events[0]?.at;
  const last = run.events.at(-1)?.at;
  const took = first && last ? ` in ${duration(first, last)}` : "";
  return `${run.workflow}  ${run.id}  ${styled(colour(run.status), run.status)}${took}`;
}

function colour(status: RunView["status"]): "green" | "red" | "yellow" {
  if (status === "succeeded") return "green";
  return status === "failed" || status === "cancelled" ? "red" : "yellow";
}

function ending(run: RunView): string {
  if (run.waiting) return plain(`waits: ${run.waiting.reason ?? run.waiting.cause}; ${run.waiting.moves}`);
  if (run.failure) {
    const where = run.failure.step === undefined ? "" : ` (step ${run.failure.step})`;
    return plain(`failure${where}  ${run.failure.code}: ${run.failure.message}`);
  }
  return plain(`result  ${JSON.stringify(run.result)}`);
}
