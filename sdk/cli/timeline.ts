import type { AttemptView, RunEvents, RunView, StepView, Waiting } from "@woml/run";
import { duration } from "./duration.ts";
import { operationRows, questions } from "./effects.ts";
import { approvalQuestions, flowTables, warningLines } from "./flow.ts";
import { plain } from "./plain.ts";
import { styled, table } from "./terminal.ts";

const HEAD = ["STEP", "ATTEMPT", "OUTCOME", "DURATION", "OUTPUT"];

/**
 * A run for people: a line per attempt in order of their starts, one per call of their scripts, then how it ended or why it waits, and what a
 * person has to say about it; `where` as `questions` takes it.
 */
export function timeline(run: RunView, where: string | null = ""): string {
  const attempts = run.steps.flatMap((step) => step.attempts.map((attempt) => ({ step, attempt })));
  const ordered = attempts.toSorted((a, b) => Date.parse(a.attempt.startedAt) - Date.parse(b.attempt.startedAt));
  const rows = withinLoops(ordered).map(({ step, attempt }) => row(step, attempt));
  const tables = [rows.length > 0 ? [HEAD, ...rows] : [], ...flowTables(run), operationRows(run)].filter((lines) => lines.length > 0);
  const asked = [...questions(run, where), ...approvalQuestions(run, where)];
  return [title(run), ...tables.map(table), ...warningLines(run), ending(run), ...asked].join("\n");
}

interface Tried {
  readonly step: StepView;
  readonly attempt: AttemptView;
}
/** So many attempts within loops that failed are shown. */
const FAILED = 20;

/** Loops are counted in a table of their own: of what was done in them only what failed is shown, and that not without end. */
function withinLoops(attempts: readonly Tried[]): readonly Tried[] {
  const failed = attempts.filter(({ step, attempt }) => step.iteration !== null && attempt.outcome === "failed").slice(0, FAILED);
  const shown = new Set(failed);
  return attempts.filter((tried) => tried.step.iteration === null || shown.has(tried));
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

function title(run: RunView): string {
  return `${run.workflow}  ${run.id}  ${styled(colour(run.status), run.status)}${time(run)}${goesBack(run)}`;
}

/** To the run that it goes on with, or repeats. */
function goesBack({ events }: RunView): string {
  const [first] = events;
  if (first?.type !== "run_admitted") return "";
  const { resumed, rerunOf } = first.data as unknown as RunEvents["run_admitted"];
  if (resumed !== undefined) return plain(`, resumes ${resumed.run} at ${resumed.from}`);
  return rerunOf === undefined ? "" : plain(`, repeats ${rerunOf}`);
}

/** How long a run took is known once it has ended; until then it is said since when it has been under way. */
function time({ status, events }: RunView): string {
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last) return "";
  const isEnded = status === "succeeded" || status === "failed" || status === "cancelled";
  return isEnded ? ` in ${duration(first.at, last.at)}` : `, begun at ${first.at}`;
}

function colour(status: RunView["status"]): "green" | "red" | "yellow" {
  if (status === "succeeded") return "green";
  return status === "failed" || status === "cancelled" ? "red" : "yellow";
}

function ending(run: RunView): string {
  if (run.failure) {
    const where = run.failure.step === undefined ? "" : ` (step ${run.failure.step})`;
    return plain(`failure${where}  ${run.failure.code}: ${run.failure.message}`);
  }
  if (run.status === "succeeded") return plain(`result  ${JSON.stringify(run.result)}`);
  if (run.status === "cancelled") return "cancelled on request; there is no result";
  return run.waiting ? plain(waits(run.waiting)) : "no result yet";
}

/** `until` is when the next thing is due. */
function waits({ cause, reason, steps = [], operations = [], until, moves }: Waiting): string {
  const of = operations.length > 0 ? operations : steps;
  const parts = [cause.replaceAll("_", " "), ...(of.length > 0 ? [`of ${of.join(", ")}`] : []), ...(until ? [`until ${until}`] : [])];
  const what = reason ?? parts.join(" ");
  return `waits: ${what} (what moves it: ${moves.replace(/\.$/, "")})`;
}
