import type { EventView, OperationView, RunView } from "@woml/run";
import { duration } from "./duration.ts";
import { plain } from "./plain.ts";

const HEAD = ["CALL", "OPERATION", "CLASS", "OUTCOME", "TRIES", "DURATION", "RESULT"];
const DETAILS = [...HEAD.slice(0, -2), "BY", "SINCE", "EVIDENCE"];
const GONE = "Its platform was a temporary one and is gone: in a folder named with --data the run stays, and can be answered.";
const ENDED: readonly RunView["status"][] = ["succeeded", "failed", "cancelled"];

/** As many as a person reads. */
const SHOWN = 500;

/**
 * A line for each call of a run's scripts, in the order in which they began, under a head; none when nothing was called. Of calls within loops
 * only those that have not succeeded.
 */
export function operationRows({ operations }: RunView): readonly (readonly string[])[] {
  const shown = operations.filter(({ step, outcome }) => !step.includes("#") || outcome !== "succeeded").slice(0, SHOWN);
  return shown.length === 0 ? [] : [HEAD, ...shown.map(row)];
}

/** The same with how the platform knows each outcome, instead of results. */
export function operationDetails({ operations }: RunView): readonly (readonly string[])[] {
  return [DETAILS, ...operations.map((operation) => [...row(operation).slice(0, -2), operation.by, operation.since, operation.evidence])];
}

function row(operation: OperationView): readonly string[] {
  const { id, tries, startedAt, settledAt } = operation;
  const effect = operation.class ?? "";
  return [id, called(operation), effect, operation.outcome, String(tries), duration(startedAt, settledAt), shown(operation)];
}

/** `acme.payments.charge "order-7"`. */
const called = ({ capability, operation, name }: OperationView): string =>
  `${capability}.${operation}${name === null ? "" : ` ${JSON.stringify(name)}`}`;

function shown({ outcome, result, failure, evidence, reused, child }: OperationView): string {
  if (outcome === "succeeded")
    return `${JSON.stringify(result)}${reused === null ? "" : ` (as ${reused === 0 ? "an earlier run" : `attempt ${reused}`} was answered)`}`;
  if (failure) return `${failure.code}: ${failure.message}`;
  return child === undefined ? evidence : `of ${child}`;
}

/**
 * What a person has to say something about, in words, each with the commands that say it. `where` is what these need to find the platform
 * again, null when it is gone.
 */
export function questions(run: RunView, where: string | null): readonly string[] {
  const unknown = run.operations.filter(({ outcome, told }) => outcome === "unknown" && !told);
  return [...unknown.map((operation) => question(run, operation, where)), ...diverged(run, where)];
}

function question(run: RunView, operation: OperationView, where: string | null): string {
  const { id, since, evidence } = operation;
  const what = plain(`unknown  ${id} ${called(operation)} since ${since}: ${sentence(evidence)} It may have happened.`);
  if (ENDED.includes(run.status)) return `${what} The run has ended without an answer.`;
  if (where === null) return `${what} ${GONE}`;
  return `${what} Look where it would show, then say what became of it:\n${commands(run, id, where)}`;
}

/** Attempts that wait for a person as a whole: their ids have no call. */
function diverged(run: RunView, where: string | null): readonly string[] {
  const attempts = (run.waiting?.operations ?? []).filter((id) => id.split(":").length === 2);
  return attempts.map((id) => {
    const what = plain(`diverged  ${id}: run again, its script did something else than what is recorded (${detailOf(run, id)}).`);
    if (where === null) return `${what} ${GONE}`;
    return `${what} Say how the attempt ended:\n${commands(run, id, where)}`;
  });
}

function detailOf({ events }: RunView, attempt: string): string {
  const said = events.findLast(({ type, data }) => {
    return type === "attempt_diverged" && `${textIn(data, "node")}:${textIn(data, "attempt")}` === attempt;
  });
  return said ? textIn(said.data, "detail") : "";
}

const textIn = (data: EventView["data"], name: string): string =>
  typeof data === "object" && data !== null && !Array.isArray(data) ? String((data as Readonly<Record<string, unknown>>)[name] ?? "") : "";

/** The three answers, to be pasted and completed, each against what is shown here. */
function commands({ id, head }: RunView, operation: string, where: string): string {
  const command = `npm run woml -- runs resolve ${id} ${operation}${where} --head ${head}`;
  return [`${command} --succeeded '<what it answered, JSON>'`, `${command} --failed '<why>'`, `${command} --retry`]
    .map((line) => `         ${plain(line)}`)
    .join("\n");
}

const sentence = (text: string): string => (text === "" || /[.!?]$/.test(text) ? text : `${text}.`);
