import type { MemoryRequest, MemoryRun } from "@woml/prisma/memory";
import { inheritsApproval, type RunId, type RunKey } from "@woml/run";
import type { Chance } from "./chance.ts";
import type { Known } from "./known.ts";
import { type Plot, payloadFor } from "./plot.ts";
import { CHILD } from "./program.ts";
import type { Tally } from "./tally.ts";

type Start = Extract<MemoryRequest["body"], { readonly kind: "start" }>;
export interface Sequel {
  readonly run: Known;
  readonly body: Start;
}
interface Parts {
  readonly chance: Chance;
  readonly tally: Tally;
  readonly row: (key: RunKey) => MemoryRun | null;
  readonly uuid: () => RunId;
  /** Of the workflow that is no child, of which one is active by then. */
  readonly plots: readonly [Plot, ...Plot[]];
  readonly child: Plot;
}

/** Enough for a chain of several. */
const MOST = 4;
const BEGINS: ReadonlySet<string> = new Set([
  ...["step_started", "parallel_opened", "fork_opened", "loop_opened", "choice_selected", "approval_requested"],
]);
const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/**
 * Somebody who resumes runs and has them run again, and keeps to what control promises of whoever asks: with its own payload a run is resumed
 * once, unless an engine refused it; with another payload no decision of a person is taken over. All else is the engine's to judge.
 */
export class Sequels {
  readonly #parts: Parts;
  /** Runs that were resumed with their own payload, and by which. */
  readonly #successors = new Map<RunId, RunKey>();
  #asked = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }
  /** A start that one of these runs is followed by; null: nobody asks just now. */
  next(runs: readonly Known[]): Sequel | null {
    const { chance, row } = this.#parts;
    const found = runs.flatMap((run) => {
      const standing = row(run);
      return standing !== null && standing.held === null && (ENDED.has(standing.status) || chance.hit(0.01)) ? [{ run, standing }] : [];
    });
    const [first, ...rest] = found;
    if (first === undefined || this.#asked >= MOST || !chance.hit(0.35)) return null;
    const { run, standing } = chance.pick([first, ...rest]);
    const sequel = chance.hit(0.25) ? this.#rerun(run, standing) : this.#resume(run, standing);
    if (sequel !== null) this.#asked += 1;
    return sequel;
  }

  #rerun(of: Known, { events }: MemoryRun): Sequel | null {
    const { chance, tally, plots, child, uuid } = this.#parts;
    const admitted = admission(events);
    if (admitted === null) return null;
    const { version, graph, times } = admitted.workflow === CHILD ? child : chance.pick(plots);
    tally.hit("rerun");
    const { workflow, payload, trigger } = admitted;
    const body: Start = { kind: "start", workflow, version, trigger, payload, labels: [], rerunOf: of.run };
    return { run: { tenant: of.tenant, run: uuid(), version, graph, times }, body };
  }

  #resume(of: Known, { events }: MemoryRun): Sequel | null {
    const { chance, tally, uuid } = this.#parts;
    const admitted = admission(events);
    if (admitted === null) return null;
    const from = this.#from(of, events);
    const isSame = chance.hit(0.75);
    if (isSame ? this.#isResumed(of) : of.graph.has(from) && inheritsApproval(of.graph, from) !== null) return null;
    const run: Known = { ...of, run: uuid(), origin: isSame ? (of.origin ?? of.run) : undefined };
    if (isSame) this.#successors.set(of.run, run);
    tally.hit(isSame ? (of.origin === undefined ? "resumed" : "resumed again") : "resumed with another payload");
    const { workflow, version, trigger } = admitted;
    const payload = isSame ? admitted.payload : { ...payloadFor(chance), other: this.#asked };
    const told: Partial<Start> = chance.hit(0.15) ? { onAmbiguous: "fail" } : {};
    return { run, body: { kind: "start", workflow, version, trigger, payload, labels: [], resumed: { run: of.run, from }, ...told } };
  }

  /** Mostly what it had come to, where it stands by itself, and often the last of these. */
  #from({ graph }: Known, events: MemoryRun["events"]): string {
    const { chance } = this.#parts;
    const begun = events.flatMap(({ type, data }) => (BEGINS.has(type) && "node" in data && graph.has(data.node) ? [data.node] : []));
    const alone = begun.filter((id) => graph.armOf(id) === null && graph.parallelOf(id) === null);
    const known = chance.hit(0.85) ? alone : graph.definition.nodes.map(({ id }) => id);
    const [first, ...rest] = chance.hit(0.5) ? known.slice(-1) : known;
    return first === undefined || chance.hit(0.02) ? "nowhere" : chance.pick([first, ...rest]);
  }

  /** One that an engine refused has begun nothing, and leaves its place free. */
  #isResumed({ run }: Known): boolean {
    const successor = this.#successors.get(run);
    if (successor === undefined) return false;
    return this.#parts.row(successor)?.events[1]?.type !== "outcome_decided";
  }
}

function admission([first]: MemoryRun["events"]) {
  return first?.type === "run_admitted" ? first.data : null;
}
