/** What a log decided, as words by subject, so that two logs can be laid side by side. */
import type { Json } from "@woml/model";
import { isAction, type RunEvent } from "@woml/run";

/** `of` is a site; "" for the run. */
export interface Fact {
  readonly what: "run" | "result" | "step" | "choice" | "output" | "group" | "branch" | "join" | "loop" | "approval";
  readonly of: string;
  readonly is: string;
}

type Facts = Map<string, Fact>;
interface Counts {
  readonly total: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

const keyOf = ({ what, of }: Pick<Fact, "what" | "of">): string => `${what} ${of}`;

/** By `keyOf`, in the order in which they were first known. Needs no legal log. */
export function factsOf(log: readonly RunEvent[]): ReadonlyMap<string, Fact> {
  const facts: Facts = new Map();
  const loops = new Map<string, Counts>();
  for (const event of log) {
    if ("node" in event.data && isAction(event.data.node)) continue;
    ofSteps(facts, event);
    ofFlow(facts, event);
    ofLoops(facts, loops, event);
    ofRun(facts, event);
  }
  return facts;
}

function set(facts: Facts, what: Fact["what"], of: string, is: string): void {
  facts.set(keyOf({ what, of }), { what, of, is });
}

function ofSteps(facts: Facts, { type, data }: RunEvent): void {
  if (type === "step_started") set(facts, "step", data.node, `begun${times(data.attempt)}`);
  else if (type === "step_succeeded") set(facts, "step", data.node, `succeeded${times(data.attempt)}`);
  else if (type === "step_failed") set(facts, "step", data.node, `failed${times(data.attempt)}: ${data.failure.code}`);
  else if (type === "step_cancelled") set(facts, "step", data.node, "cancelled");
}

const times = (attempt: number): string => (attempt === 1 ? "" : ` in attempt ${attempt}`);

function ofFlow(facts: Facts, { type, data }: RunEvent): void {
  if (type === "choice_selected") set(facts, "choice", data.node, data.arm);
  else if (type === "choice_settled" && data.output !== undefined) set(facts, "output", data.node, shown(data.output));
  else if (type === "parallel_settled") set(facts, "group", data.node, data.status);
  else if (type === "branch_settled") set(facts, "branch", `${data.node}/${data.branch}`, data.status);
  else if (type === "join_settled") set(facts, "join", data.node, data.status);
  else if (type === "approval_resolved")
    set(facts, "approval", data.node, `${data.decision} by ${data.source === "human" ? "a person" : "its time-out"}`);
  else if (type === "approval_failed") set(facts, "approval", data.node, `failed: ${data.reason}`);
}

function ofLoops(facts: Facts, loops: Map<string, Counts>, { type, data }: RunEvent): void {
  if (type === "loop_opened") loops.set(data.node, { total: data.total, succeeded: 0, failed: 0, skipped: 0 });
  if (type !== "loop_opened" && type !== "iteration_settled" && type !== "iterations_skipped") return;
  const counts = loops.get(data.node);
  if (counts === undefined) return;
  if (type === "iteration_settled") counts[data.status] += 1;
  if (type === "iterations_skipped") counts.skipped += data.count;
  const { total, succeeded, failed, skipped } = counts;
  set(facts, "loop", data.node, `${total} iterations: ${succeeded} succeeded, ${failed} failed, ${skipped} not begun`);
}

function ofRun(facts: Facts, { type, data }: RunEvent): void {
  if (type === "run_cancelled") set(facts, "run", "", "cancelled");
  else if (type === "run_failed") set(facts, "run", "", `failed: ${data.failure.code}`);
  else if (type === "run_succeeded") {
    set(facts, "run", "", "succeeded");
    set(facts, "result", "", shown(data.result));
  }
}

const SHOWN = 200;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
