// What somebody who looks after the platform should look at: runs that nobody moves, requests that nobody takes, and rows that say something else than
// their logs. Rows are looked at for all of it, logs only of the newest runs: `verify` folds every one.
import type { FindingRow } from "@woml/prisma";
import type { RunId, TenantId } from "@woml/run";
import type { Asking } from "./asking.ts";
import { tenantsFrom, verify } from "./verify.ts";

export interface Finding {
  readonly kind: FindingRow["kind"] | "differs";
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly cause: string;
  /** Epoch ms; null where nobody knows. */
  readonly since: number | null;
  readonly advice: string;
}
export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** False where there was more than is told. */
  readonly isComplete: boolean;
}

/** Of each kind and tenant; and in all. */
const EACH = 100;
const ALL = 1_000;
/** Newest runs whose logs are folded. */
const SAMPLE = 20;

/** Of the asking tenant, or of every tenant for the administrator. */
export async function doctor(asking: Asking): Promise<Diagnosis> {
  const found: Finding[] = [];
  let isComplete = true;
  for (const tenant of await tenantsFrom(asking, "")) {
    const rows = await asking.store.withTenant(tenant, (scope) => scope.findings(EACH + 1));
    const kinds = Map.groupBy(rows, ({ kind }) => kind);
    for (const [, of] of kinds) {
      if (of.length > EACH) isComplete = false;
      found.push(...of.slice(0, EACH).map((row) => told(tenant, row)));
    }
    if (found.length > ALL) break;
  }
  const { items } = await verify(asking, { first: SAMPLE, after: null });
  for (const { tenant, run, differences } of items) {
    if (differences.length === 0) continue;
    found.push({ kind: "differs", tenant, run, cause: differences.join("; "), since: null, advice: ADVICE.differs });
  }
  return { findings: found.slice(0, ALL), isComplete: isComplete && found.length <= ALL };
}

function told(tenant: TenantId, { kind, run, since, detail }: FindingRow): Finding {
  return { kind, tenant, run, since, cause: CAUSES[kind](detail), advice: ADVICE[kind] };
}

const CAUSES: { readonly [K in FindingRow["kind"]]: (detail: string) => string } = {
  held: (reason) => `no engine drives it: ${reason}`,
  motionless: (status) => `it is ${status}, and neither a time nor anybody's word will move it`,
  ownerless: (owner) => (owner === "" ? "it is due, and no engine has taken it" : `it is due, and its engine ${owner} is gone`),
  overdue: (cause) => `it waited (${cause}), its time has come, and its engine does nothing`,
  unanswered: (kind) => `no engine has taken a request (${kind})`,
  miscounted: (lane) => `its lane counts others than those that hold a place (${lane})`,
  stray_timer: (timer) => `a timer (${timer}) of a run that is over or is not there`,
};

const REBUILD = "woml rebuild makes what is stored beside the log anew from it";
const ADVICE: { readonly [K in Finding["kind"]]: string } = {
  held: "Mend the cause and free it (woml rebuild --run ID --free), or cancel it (woml runs cancel ID).",
  motionless: `Compare it with its log (${REBUILD}), or cancel it; and report it.`,
  ownerless: "See that an engine runs and has room (woml_runs_driven, docs/cluster.md): it takes the run within a second.",
  overdue: "See whether its engine is overloaded or cannot reach the database; ended, another takes its runs.",
  unanswered: "See that an engine runs and has room; a start waits for one that has (woml_inbox_age_ms).",
  miscounted: `${REBUILD}, and counts each lane again; and report it.`,
  stray_timer: `It does nothing; ${REBUILD}, and clears such timers away.`,
  differs: `The log is the truth: ${REBUILD}.`,
};
