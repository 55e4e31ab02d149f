import { canonical, type Graph } from "@woml/model";
import type { MemoryRequest, MemoryRun } from "@woml/prisma/memory";
import { indexAt, isAction, nodeAt, type RunId, type RunKey, showRunId } from "@woml/run";
import { digest } from "./process.ts";

export interface Known extends RunKey {
  /** The first of the runs that resume one another, where this is a later one with the payload of the first. */
  readonly origin?: RunId | undefined;
  readonly version: string;
  readonly graph: Graph;
  /** How often each purpose of its programs may have its effect at one site. */
  readonly times: ReadonlyMap<string, number>;
}
/** Something of a run that runs a script. */
export interface Site {
  readonly run: Known;
  readonly node: string;
}

/** Somebody has to decide, and nobody does. */
export const isForPerson = ({ waitingFor }: MemoryRun): boolean => waitingFor?.actions.includes("resolveApproval") === true;

/** What a held run is told of the runs that it waits for waits until it is free. */
export const isPutOff = ({ body }: MemoryRequest, row: MemoryRun | null): boolean => body.kind === "child_settled" && row?.held != null;

/**
 * Knows the sites of runs by the key that their scripts are told, written out here once more. Runs that resume one another share keys, one after
 * the other: a key is of the last one that whoever sends it has been told of.
 */
export class Keys {
  readonly #runs: Known[] = [];
  readonly #sites = new Map<string, Site[]>();
  readonly #row: (key: RunKey) => MemoryRun | null;
  /** How much of each log has been looked through. */
  readonly #seen = new Map<Known, number>();

  constructor(row: (key: RunKey) => MemoryRun | null) {
    this.#row = row;
  }
  know(run: Known): void {
    this.#runs.push(run);
  }
  /** Whatever has been begun, in whichever run of those that are `told`. */
  find(key: string, told: ReadonlyMap<string, number>): Site | undefined {
    for (const run of this.#runs) this.#learn(run);
    return this.#sites.get(key)?.findLast(({ run }) => told.has(run.run));
  }
  #learn(run: Known): void {
    const { events = [] } = this.#row(run) ?? {};
    for (const { type, data } of events.slice(this.#seen.get(run) ?? 0))
      if ((type === "step_started" && data.attempt === 1) || type === "action_started") this.#add({ run, node: data.node });
    this.#seen.set(run, events.length);
  }
  #add(site: Site): void {
    const key = keyOf(site.run, site.node);
    const sites = this.#sites.get(key) ?? [];
    this.#sites.set(key, sites);
    if (!sites.some(({ run }) => run === site.run)) sites.push(site);
  }
}

function keyOf({ run, origin = run, version }: Known, site: string): string {
  const index = isAction(site) ? null : indexAt(site);
  const nodeId = index === null ? site : nodeAt(site);
  const identity = {
    contract: "woml.step-effect",
    version: 1,
    runId: showRunId(isAction(site) ? run : origin),
    definitionHash: version,
    nodeId,
  };
  return digest(canonical(index === null ? identity : { ...identity, iteration: index }));
}
