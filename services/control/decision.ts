// INVARIANTS
// A1 The first decision of an approval is stored, and no other: the same again is the same decision, the opposite one is refused.
// A2 None is stored when the approval's time is over by PostgreSQL's clock, and none that the run would not hear of any more.
// A3 Who decided is written in the same transaction.
import { randomUUID } from "node:crypto";
import type { Doorbell } from "@woml/boot";
import type { ControlStore, EventFilter, TenantScope } from "@woml/prisma";
import { type ApprovalView, flowViews, type RunEvent, type RunId, showRunId, type TenantId } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { nodeIdOf, runIdOf } from "./ids.ts";
import { findRun, type RunSource } from "./run-source.ts";

export interface ResolveApprovalInput {
  readonly run: string;
  readonly approval: string;
  readonly decision: "APPROVED" | "REJECTED";
}
/** `by` is the id of a key, or `token`. */
interface Deciding {
  readonly run: RunId;
  readonly approval: string;
  readonly decision: "approved" | "rejected";
  readonly by: string;
}
/** What a run's log says of one approval, and whether the run still hears of it. */
interface Approving {
  readonly approval: ApprovalView | undefined;
  readonly isStopping: boolean;
}

export async function resolveApproval(asking: Asking, input: ResolveApprovalInput): Promise<RunSource> {
  const decision = input.decision === "APPROVED" ? "approved" : "rejected";
  const wanted = { run: runIdOf(input.run), approval: nodeIdOf(input.approval), decision, by: asking.who.key } as const;
  const found = await withTenant(asking, (scope) => decide(scope, wanted));
  asking.doorbell.ring(found.queue);
  return found;
}

/** For whoever holds the token of an approval. */
export async function decideByToken(
  { store, doorbell }: { readonly store: ControlStore; readonly doorbell: Doorbell },
  tenant: TenantId,
  wanted: Omit<Deciding, "by">,
): Promise<void> {
  const { queue } = await store.withTenant(tenant, (scope) => decide(scope, { ...wanted, by: "token" }));
  doorbell.ring(queue);
}

async function decide(scope: TenantScope, wanted: Deciding): Promise<RunSource> {
  const { run, decision } = wanted;
  const found = await findRun(scope, run);
  if (found === null) throw new ApiError("WOML_RUN_NOT_FOUND", "there is no such run");
  const { approval, isStopping } = approvingOf(await eventsOf(scope, run, { ...ABOUT, about: [wanted.approval] }));
  if (approval === undefined) throw unknown(found);
  if (approval.source === "human") {
    if (approval.decision === decision) return found;
    throw conflict(approval.decision);
  }
  if (approval.status === "rejected" || approval.status === "failed") throw late();
  if (found.endedAt !== null || isStopping) throw new ApiError("WOML_RUN_ALREADY_TERMINAL", "the run has ended, or is ending");
  if (found.waiting?.cause === "held")
    throw new ApiError("WOML_RUN_HELD", "the run is held, so that nobody would act on it: free it first");
  await write(scope, wanted, approval);
  return found;
}

/** An engine that found a decision moot leaves the place of the next one free; more often than this nobody decides in earnest. */
const PLACES = 100;

/** The transaction is undone where it throws: what came too late is nowhere. */
async function write(scope: TenantScope, { run, approval: node, decision, by }: Deciding, { deadlineAt }: ApprovalView): Promise<void> {
  const digest = digestOf({ decision });
  for (let place = 1; place <= PLACES; place++) {
    const body = { kind: "resolve_approval", node, decision, by };
    const asked = { id: randomUUID(), run, scope: `approval:${run}`, key: `${node}#${place}`, digest, body };
    const { row, created } = await scope.submit(asked);
    if (created) {
      if (deadlineAt !== null && row.createdAt >= Date.parse(deadlineAt)) throw late();
      return scope.record(entryOf(by, "approval.decide", `${showRunId(run)} ${node}`, { decision }));
    }
    if (row.consumedAt !== null && row.answer !== null) continue;
    if (row.digest === digest) return;
    throw conflict(decision === "approved" ? "rejected" : "approved");
  }
  throw new ApiError("WOML_RUN_ALREADY_TERMINAL", "the run did not hear of it: look again");
}

const ABOUT: EventFilter = {
  types: [
    ...(["approval_requested", "approval_resolved", "approval_failed", "cancel_requested"] as const),
    ...(["deadline_reached", "stop_decided", "outcome_decided"] as const),
  ],
  without: ["result", "failure"],
};

export async function eventsOf(scope: TenantScope, run: RunId, only: EventFilter): Promise<readonly RunEvent[]> {
  const [events = []] = await scope.events([{ run, after: 0, limit: EVENTS, maxBytes: BYTES, only }]);
  return events;
}
/** An approval has two events, a run a handful of those that end it. */
const EVENTS = 100;
const BYTES = 1_048_576;

export function approvingOf(events: readonly RunEvent[]): Approving {
  const { approvals } = flowViews(events);
  return { approval: approvals[0], isStopping: events.some(({ type }) => !type.startsWith("approval_") && type !== "run_admitted") };
}

function unknown({ endedAt }: RunSource): ApiError {
  const message = endedAt === null ? "the run has not come to such an approval" : "the run has never come to such an approval";
  return new ApiError("WOML_APPROVAL_NOT_FOUND", message);
}

const conflict = (decision: string | null): ApiError =>
  new ApiError("WOML_APPROVAL_DECISION_CONFLICT", `it was decided before: ${decision}`);
const late = (): ApiError => new ApiError("WOML_APPROVAL_EXPIRED", "nobody had decided when its time was over");
