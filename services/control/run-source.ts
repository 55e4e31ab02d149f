import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import type { RequestRow, RunRow, TenantScope } from "@woml/prisma";
import {
  type Failure,
  queuedView,
  type ResumedFrom,
  type RunId,
  type RunStatus,
  type Waiting,
  waitingHeld,
  waitingInLine,
} from "@woml/run";
import { mintedAt } from "./ids.ts";

/** What is known of a run without its log: from its row or, while no engine has taken it, from its start request. Times in epoch ms. */
export interface RunSource {
  readonly id: RunId;
  readonly workflow: string;
  /** The definition's hash. */
  readonly version: string;
  readonly status: RunStatus;
  readonly labels: readonly string[];
  readonly waiting: Waiting | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** Number of events; 0 while it is only asked for. */
  readonly head: number;
  /** Whose doorbell is rung for it. */
  readonly queue: string;
  /** Of a run that is only asked for; `failure` where no engine could admit it. */
  readonly asked: { readonly payload: Json; readonly failure: Failure | null; readonly links: StartBody["links"] } | null;
}

/** An engine admitted it, so that its row was there. */
const ROWLESS = "store_changed: the run's row is missing";
const ENDED: ReadonlySet<RunStatus> = new Set(["succeeded", "failed", "cancelled"]);

export function runOfRow(row: RunRow): RunSource {
  const { id, workflow, version, labels, head, owner } = row;
  const isHeld = row.held !== null && !ENDED.has(row.status);
  return {
    ...{ id, workflow, version, labels, head, queue: owner ?? SHARED, asked: null },
    status: isHeld ? "waiting" : row.status,
    waiting: isHeld ? waitingHeld(row.held ?? "", row.heldAt ?? row.at) : row.linedAt ? waitingInLine(row.linedAt) : row.waitingFor,
    createdAt: mintedAt(id),
    endedAt: ENDED.has(row.status) ? row.at : null,
  };
}

export function runOfStart({ run, body, createdAt, consumedAt, answer, dueAt }: RequestRow): RunSource {
  const { workflow, version, labels, payload, links } = startBody(body);
  const source = { id: run, workflow, version, labels, createdAt: mintedAt(run), head: 0, queue: SHARED };
  if (answer !== null)
    return { ...source, status: "failed", waiting: null, endedAt: consumedAt, asked: { payload, failure: refusal(answer), links } };
  if (consumedAt !== null)
    return {
      ...source,
      status: "waiting",
      waiting: waitingHeld(ROWLESS, consumedAt),
      endedAt: null,
      asked: { payload, failure: null, links },
    };
  const { status, waiting } = queuedView({ run, workflow, version, payload, labels, since: createdAt, startAt: dueAt });
  return { ...source, status, waiting, endedAt: null, asked: { payload, failure: null, links } };
}

/** What becomes of a run whose start an engine consumed without admitting it, by the engine's answer. */
const UNADMITTED = {
  RUN_NOT_ADMISSIBLE: { code: "WOML_RUN_NOT_ADMISSIBLE", message: "The run could not be admitted; the engine's log says why." },
  REQUEST_NOT_READABLE: { code: "WOML_REQUEST_NOT_READABLE", message: "The stored start is not one that the engine can read." },
} as const;

/** An answer that this control does not know is one of an engine to come, and no run came of it either. */
function refusal(answer: string): Failure {
  const known = Object.hasOwn(UNADMITTED, answer) ? (answer as keyof typeof UNADMITTED) : "RUN_NOT_ADMISSIBLE";
  return { ...UNADMITTED[known], kind: "not_admissible" };
}

/** Its row, else its start request. An engine that admits it between the two reads has written the row. */
export async function findRun(scope: TenantScope, id: RunId): Promise<RunSource | null> {
  const row = await scope.run(id);
  if (row !== null) return runOfRow(row);
  const start = await scope.startOf(id);
  if (start === null) return null;
  const admitted = start.consumedAt === null ? null : await scope.run(id);
  return admitted ? runOfRow(admitted) : runOfStart(start);
}

interface StartBody {
  readonly workflow: string;
  readonly version: string;
  readonly payload: Json;
  readonly labels: readonly string[];
  /** Runs that it goes back to. */
  readonly links: { readonly resumed?: ResumedFrom; readonly rerunOf?: string; readonly parent?: { readonly run: string } };
}

/** The inbox holds what request.ts wrote; anything else there is broken. */
function startBody(body: Json): StartBody {
  const fields: Readonly<Record<string, Json>> = isRecord(body) ? body : {};
  const { kind, workflow, version, payload = null, labels, resumed, rerunOf, parent } = fields;
  if (kind !== "start" || typeof workflow !== "string" || typeof version !== "string" || !Array.isArray(labels)) {
    throw new Error("a stored start request is not one");
  }
  const again = typeof rerunOf === "string" ? { rerunOf } : {};
  return { workflow, version, payload, labels: labels.map(String), links: { ...again, ...resumedIn(resumed), ...parentIn(parent) } };
}

function resumedIn(resumed: Json | undefined): Pick<StartBody["links"], "resumed"> {
  const { run, from }: Readonly<Record<string, Json>> = resumed !== undefined && isRecord(resumed) ? resumed : {};
  return typeof run === "string" && typeof from === "string" ? { resumed: { run, from } } : {};
}

function parentIn(parent: Json | undefined): Pick<StartBody["links"], "parent"> {
  const { run }: Readonly<Record<string, Json>> = parent !== undefined && isRecord(parent) ? parent : {};
  return typeof run === "string" ? { parent: { run } } : {};
}

function isRecord(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
