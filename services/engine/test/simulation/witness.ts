import { canonical, type Graph, type Node } from "@woml/model";
import type { Append } from "@woml/prisma";
import type { MemoryRun } from "@woml/prisma/memory";
import { type RunEvent, type RunKey, showRunId } from "@woml/run";
import type { Invocation } from "@woml/sandbox";
import { digest, type Process } from "./process.ts";

export interface Known extends RunKey {
  readonly version: string;
  readonly graph: Graph;
}
type Log = readonly RunEvent[];
interface Step {
  readonly run: Known;
  readonly node: string;
}

/** Sees every frame as it leaves an engine, and judges it by what is committed at that moment, and known to that engine to be. */
export class Witness {
  readonly broken: string[] = [];
  readonly #steps = new Map<string, Step>();
  /** Which engine sent an attempt; a resumed attempt is another. */
  readonly #sent = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #row: (key: RunKey) => MemoryRun | null;

  constructor(row: (key: RunKey) => MemoryRun | null) {
    this.#row = row;
  }
  /** Steps are known by the key that a script is told, written out here once more from its definition. */
  know(run: Known): void {
    for (const { id, kind } of run.graph.definition.nodes) {
      const identity = { contract: "woml.step-effect", version: 1, runId: showRunId(run.run), definitionHash: run.version, nodeId: id };
      if (kind === "step") this.#steps.set(digest(canonical(identity)), { run, node: id });
    }
  }
  /** Answers what the frame is called here. */
  frame(process: Process, { attempt, tenant }: Invocation): string {
    const engine = process.engine ?? "";
    const told: { number: number; idempotencyKey: string } = JSON.parse(attempt);
    const step = this.#steps.get(told.idempotencyKey);
    if (step === undefined) return this.#blame("a frame for no known step");
    const name = `${step.run.run} ${step.node} attempt ${told.number}`;
    const row = this.#row(step.run);
    const log = row?.events.slice(0, process.told.get(step.run.run) ?? 0) ?? [];
    if (step.run.tenant !== tenant) this.#blame(`${name} was sent for another tenant`);
    if (process.time.now >= process.leaseUntil) this.#blame(`${name} was sent after the lease had ended`);
    for (const missing of unfinished(step, log)) this.#blame(`${name} was sent before it knew that ${missing} was committed`);
    const started = log.findLastIndex(
      ({ type, data }) => type === "step_started" && data.node === step.node && data.attempt === told.number,
    );
    if (started < 0) return this.#blame(`${name} was sent before it knew that its start was committed`);
    const since = log.slice(started).filter(({ data }) => "node" in data && data.node === step.node);
    if (row?.owner === engine && since.some(({ type }) => ENDS.has(type))) this.#blame(`${name} was sent after it had ended`);
    const resumes = since.filter(({ type }) => type === "attempt_resumed").length;
    // An engine that has lost the run and cannot know it yet sends what it knows of, which can have no effect.
    const flight = row?.owner === engine ? `${name} resumed ${resumes}` : `${name} by ${engine}, which has lost it, at ${process.time.now}`;
    const before = this.#sent.get(flight);
    if (before !== undefined) this.#blame(`${flight} was sent twice, by ${before} and ${engine}`);
    this.#sent.set(flight, engine);
    this.#seen.add(`${name} resumed ${resumes}`);
    return flight;
  }
  /** Looks before an append lands; what it answers is called if the store takes it. */
  lands(wanted: Append): () => void {
    const row = this.#row(wanted);
    const isRightful = row === null ? wanted.expected === 0 : row.owner === wanted.owner && row.head === wanted.expected;
    return () => void (isRightful || this.#blame(`${wanted.run} was moved by ${wanted.owner}, which does not stand where it says`));
  }
  /** Resumes in a finished log that say the sandbox lost an attempt of which no frame was ever seen. */
  unfounded({ run, events }: MemoryRun): readonly string[] {
    const resumes = new Map<string, number>();
    return events.flatMap(({ type, data }) => {
      if (type !== "attempt_resumed") return [];
      const name = `${run} ${data.node} attempt ${data.attempt}`;
      const before = resumes.get(name) ?? 0;
      resumes.set(name, before + 1);
      return data.lost === "engine" || this.#seen.has(`${name} resumed ${before}`)
        ? []
        : [`says that ${name} was lost without having been sent`];
    });
  }
  /** Nothing of it ran: it may be sent again. */
  refused(flight: string): void {
    this.#sent.delete(flight);
  }
  #blame(what: string): string {
    this.broken.push(what);
    return what;
  }
}

const ENDS: ReadonlySet<string> = new Set(["step_succeeded", "step_failed", "step_cancelled"]);

/** Predecessors of a step that the log does not show as done. Into a step lead only edges that must all be live. */
function unfinished({ run, node }: Step, log: Log): readonly string[] {
  return run.graph
    .incoming(node)
    .flatMap(({ from, arm }) => (log.some((event) => finishes(event, run.graph.node(from), arm)) ? [] : [from]));
}

function finishes({ type, data }: RunEvent, from: Node, arm: string | undefined): boolean {
  switch (from.kind) {
    case "step":
      return type === "step_succeeded" && data.node === from.id;
    case "open":
      return type === "parallel_opened" && data.node === from.parallel;
    case "parallel":
      return type === "parallel_settled" && data.node === from.id && data.status === "succeeded";
    case "select":
      return type === "choice_selected" && data.node === from.choice && data.arm === arm;
    case "choice":
      return type === "choice_settled" && data.node === from.id;
  }
}
