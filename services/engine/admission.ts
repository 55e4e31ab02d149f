/**
 * What a run is admitted with. Of a run that resumes another the request says only which: what it takes over is read from that run's log, which
 * has ended and changes no more, so that nobody but an engine says what a run did.
 */
import type { EngineStore } from "@woml/prisma";
import { asRunId, type Failure, inherit, remembering, samePayload } from "@woml/run";
import type { Start } from "./arrival.ts";
import type { AdmitRun, RefuseRun } from "./decide/command.ts";
import type { Prepared, Refused } from "./definitions.ts";
import { standing } from "./standing.ts";

type Links = Pick<AdmitRun, "resumed" | "rerunOf" | "parent" | "signal">;
/** What goes with a start beyond its request; `seed` where chance is that of the run it resumes. */
export interface Taken {
  readonly links: Links;
  readonly seed: string | null;
  readonly failure: Failure | null;
}
type Store = Pick<EngineStore, "load">;

/** Rejects only when the store does. */
export async function takeOver(store: Store, start: Start, definition: Prepared | Refused, now: number): Promise<Taken> {
  const { resumed, rerunOf, parent, signal } = start.body;
  const links: Links = {
    ...(rerunOf === undefined ? {} : { rerunOf }),
    ...(parent === undefined ? {} : { parent }),
    ...(signal === undefined ? {} : { signal }),
  };
  if (resumed === undefined) return { links, seed: null, failure: null };
  if ("refused" in definition) return { links: { ...links, resumed: { ...resumed, ...NOTHING } }, seed: null, failure: null };
  const taken = await resume(store, start, definition, now);
  if (taken.failure !== null) return { links: { ...links, resumed: { ...resumed, ...NOTHING } }, seed: null, failure: taken.failure };
  return { links: { ...links, resumed: taken.resumed }, seed: taken.seed, failure: null };
}

type Resumed =
  | { readonly failure: Failure }
  | { readonly failure: null; readonly resumed: NonNullable<AdmitRun["resumed"]>; readonly seed: string | null };

/** Control has judged the same by the same log: what is refused here was changed in the store since, or asked for by something else. */
async function resume(store: Store, { tenant, body }: Start, { graph }: Prepared, now: number): Promise<Resumed> {
  const { run, from } = body.resumed ?? { run: "", from: "" };
  const earlier = await store.load({ tenant, run: asRunId(run) });
  if (earlier === null || earlier.version !== body.version) return refused("WOML_RUN_NOT_FOUND", "There is no such run of this version.");
  const state = attempt(() => standing(earlier, now, remembering));
  if (state === null || state.admitted === null)
    return refused("WOML_RESUME_LOG_BROKEN", "The log of the run that it resumes cannot be read.");
  const taken = inherit(graph, state, { run: earlier.run, from });
  if ("fault" in taken) return refused(taken.fault, taken.message);
  const isSame = samePayload(state.admitted.payload, body.payload);
  const origin = isSame ? { origin: state.admitted.origin ?? earlier.run } : {};
  const { outputs, operations, keys } = taken;
  return {
    failure: null,
    resumed: { run, from: taken.from, outputs, operations, keys, ...origin },
    seed: isSame ? state.admitted.seed : null,
  };
}

const NOTHING = { outputs: [], operations: [], keys: [] };

function refused(code: string, message: string): Resumed {
  return { failure: { code, kind: "resume_refused", message } };
}

function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

/** The command that admits a run, or refuses it where its definition, or what it is to take over, is not what may run. */
export function admissionOf(
  { workflow, version, trigger, payload, labels, onAmbiguous }: Start["body"],
  { links, failure, seed }: Taken,
  means: { readonly definition: Prepared | Refused; readonly seed: () => string; readonly trace: string | null },
): Omit<AdmitRun, "now"> | Omit<RefuseRun, "now"> {
  const setting = onAmbiguous === undefined ? {} : { onAmbiguous };
  const traced = means.trace === null ? {} : { trace: means.trace };
  const admission = { workflow, version, trigger, payload, labels, seed: seed ?? means.seed(), ...setting, ...traced, ...links };
  const stops = "refused" in means.definition ? mismatch(means.definition.refused) : failure;
  return stops === null ? { kind: "admit_run", ...admission } : { kind: "refuse_run", ...admission, failure: stops };
}

function mismatch(message: string): Failure {
  return { code: "WOML_DEFINITION_HASH_MISMATCH", kind: "definition_refused", message };
}
