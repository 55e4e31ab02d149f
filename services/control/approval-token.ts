// Who holds the token of an approval may look at it and decide it, and nothing else. Why a token opens nothing is not said.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { ControlStore, EventFilter, TenantScope } from "@woml/prisma";
import { APPROVAL_TOKEN_MS, type ApprovalKey, type ApprovalView, parseApprovalToken, type RunEvent, tokenSecret } from "@woml/run";
import { approvingOf, eventsOf } from "./decision.ts";
import { ApiError } from "./errors.ts";
import { findRun, type RunSource } from "./run-source.ts";

/** An approval whose token somebody has. `isOpen`: it can still be decided. */
export interface Held {
  readonly key: ApprovalKey;
  readonly run: RunSource;
  readonly approval: ApprovalView;
  readonly isOpen: boolean;
  readonly isTokenOver: boolean;
  /** As its author named and described it. */
  readonly name: string | null;
  readonly description: string | null;
}

export async function findByToken(store: ControlStore, text: string): Promise<Held> {
  const named = parseApprovalToken(text);
  if (named === null) throw invalid();
  const { secret, ...key } = named;
  return store.withTenant(key.tenant, async (scope) => {
    const events = await eventsOf(scope, key.run, { ...ABOUT, about: [key.site] });
    const { approval, isStopping } = approvingOf(events);
    if (!proves(key, secret, events) || approval === undefined) throw invalid();
    const run = await findRun(scope, key.run);
    if (run === null) throw invalid();
    const now = await scope.now();
    const isTokenOver = now >= Date.parse(approval.requestedAt) + APPROVAL_TOKEN_MS;
    const isLate = approval.deadlineAt !== null && now >= Date.parse(approval.deadlineAt);
    const isOpen = approval.status === "waiting" && run.endedAt === null && !isStopping && !isLate && !isTokenOver;
    return { key, run, approval, isOpen, isTokenOver, ...(await wordsOf(scope, run.version, key.site)) };
  });
}

export const expired = (): ApiError => new ApiError("WOML_APPROVAL_TOKEN_EXPIRED", "this link is older than a day: decide with a key");
export const invalid = (): ApiError => new ApiError("WOML_APPROVAL_TOKEN_INVALID", "this is not the link of an approval");

const ABOUT: EventFilter = {
  types: [
    ...(["run_admitted", "approval_requested", "approval_resolved", "approval_failed"] as const),
    ...(["cancel_requested", "deadline_reached", "stop_decided", "outcome_decided"] as const),
  ],
  without: ["payload", "result", "failure"],
};

/** Also of a run that is not there something is compared, for as long. */
function proves(key: ApprovalKey, secret: string, events: readonly RunEvent[]): boolean {
  const [admitted] = events;
  const seed = admitted?.type === "run_admitted" ? admitted.data.seed : null;
  const wanted = tokenSecret(key, seed ?? "", (from, label) => createHmac("sha256", from).update(label).digest("hex"));
  return timingSafeEqual(Buffer.from(wanted), Buffer.from(secret)) && seed !== null;
}

async function wordsOf(scope: TenantScope, version: string, id: string): Promise<Pick<Held, "name" | "description">> {
  const row = await scope.version(version);
  const { nodes }: { nodes?: unknown } = row === null ? {} : JSON.parse(row.definition);
  const node = Array.isArray(nodes) ? nodes.find((one) => one?.id === id) : undefined;
  const said = (text: unknown): string | null => (typeof text === "string" ? text : null);
  return { name: said(node?.name), description: said(node?.description) };
}
