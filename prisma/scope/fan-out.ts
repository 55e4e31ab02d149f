import type { Json } from "@woml/model";
import type { TenantId } from "@woml/run";
import { ALLOWANCE, type Allowance, type AllowanceRow, admit, allowanceOf } from "../allowance.ts";
import { ANNOUNCE, announced } from "../announce.ts";
import type { Transaction } from "../client.ts";
import type { NewRequest, Submitted, TenantScope } from "../control-store.ts";
import { LimitReached } from "../error.ts";
import { quotaReached } from "../quota-signal.ts";
import { type Reached, reachedCode, reachedWords } from "../reached.ts";
import { keeping, type NewDelivery } from "../trigger.ts";
import { insert } from "./delivery.ts";
import { countDelivery, take } from "./limit.ts";
import { type Entry, entry, standing, store } from "./request.ts";

/** What a signal starts, and what else came of it and starts nothing. `isDelivery`: it came to the door, and counts as a delivery. */
export interface FanOut {
  readonly wanted: readonly NewRequest[];
  readonly others: readonly NewDelivery[];
  readonly isDelivery: boolean;
}
/** `reached`: what has kept it back. */
export type FannedOut = Submitted | { readonly reached: Reached };

export function fansOut(tx: Transaction, tenant: TenantId, wrote: () => void): Pick<TenantScope, "fanOut"> {
  return {
    fanOut: async (signal) => {
      if (signal.wanted.length + signal.others.length > 0) wrote();
      return fanOut(tx, tenant, signal);
    },
  };
}

/**
 * Stores what one signal starts: as many, in their order, as the tenant may start, and of the others why not. Where that is nothing at all, for want of room,
 * it throws LimitReached: whoever asked is to ask again.
 */
async function fanOut(tx: Transaction, tenant: TenantId, { wanted, others, isDelivery }: FanOut): Promise<readonly FannedOut[]> {
  if (wanted.length === 0) {
    if (others.length > 0) await insert(tx, tenant, others);
    return [];
  }
  const asked = wanted.map(entry);
  const allowance = await allowanceIn(tx, tenant, asked);
  if (isDelivery) await countDelivery(tx, tenant, () => fresh(tx, tenant, asked));
  const kept = isFree(allowance) ? new Map<Entry, Reached>() : await keptBack(tx, tenant, { asked, allowance });
  const stored = await store(
    tx,
    tenant,
    asked.filter((one) => !kept.has(one)),
    true,
  );
  const told = [...others, ...rejectionsOf(kept)];
  if (told.length > 0) await insert(tx, tenant, told);
  await announceQuota(tx, tenant, [...kept.values()]);
  const answers = stored.values();
  return asked.map((one) => {
    const reached = kept.get(one);
    const answer = reached === undefined ? answers.next().value : { reached };
    if (answer === undefined) throw new Error("a start was stored and not answered");
    return answer;
  });
}

const workflowOf = ({ wanted: { body } }: Entry): string =>
  typeof body === "object" && body !== null && "workflow" in body && typeof body["workflow"] === "string" ? body["workflow"] : "";

async function allowanceIn(tx: Transaction, tenant: TenantId, asked: readonly Entry[]): Promise<Allowance> {
  return allowanceOf(await tx.$queryRawUnsafe<AllowanceRow[]>(ALLOWANCE, tenant, [...new Set(asked.map(workflowOf))]));
}
const isFree = ({ starts, sated, lined }: Allowance): boolean => starts === null && sated === null && lined.length === 0;

/** A second start of a key is none. */
async function fresh(tx: Transaction, tenant: TenantId, asked: readonly Entry[]): Promise<readonly Entry[]> {
  const stands = await standing(tx, tenant, asked);
  return asked.filter((one) => stands(one) === undefined);
}

interface Judged {
  readonly asked: readonly Entry[];
  readonly allowance: Allowance;
}
async function keptBack(tx: Transaction, tenant: TenantId, { asked, allowance }: Judged): Promise<ReadonlyMap<Entry, Reached>> {
  const made = await fresh(tx, tenant, asked);
  const { starts } = allowance;
  // Under the lock of the second's row: what is left is what the others have left.
  const second = starts === null || made.length === 0 ? null : await take(tx, tenant, starts.limit);
  const reached = admit({ ...allowance, starts: second ?? starts }, made.map(workflowOf));
  const [first] = reached;
  if (made.length === asked.length && reached.every((one) => one !== null) && first !== undefined && first !== null)
    throw new LimitReached(first);
  await second?.count(reached.filter((one) => one === null).length);
  return new Map(made.flatMap((one, at): readonly [Entry, Reached][] => (reached[at] ? [[one, reached[at]]] : [])));
}

/** All of them are asked to start with the payload of the one signal. */
function rejectionsOf(kept: ReadonlyMap<Entry, Reached>): readonly NewDelivery[] {
  const [first] = kept.keys();
  const keep = keeping((first?.wanted.body as { readonly payload?: Json } | undefined)?.payload ?? null);
  return [...kept].flatMap(([{ wanted }, reached]): readonly NewDelivery[] => {
    const detail = { message: `${reachedWords(reached)}.` };
    return wanted.delivery === undefined
      ? []
      : [{ ...wanted.delivery, outcome: "rejected", code: reachedCode(reached), detail, ...keep() }];
  });
}

async function announceQuota(tx: Transaction, tenant: TenantId, reached: readonly Reached[]): Promise<void> {
  const found = reached.find(({ quota }) => quota !== null);
  if (found !== undefined) await tx.$executeRawUnsafe(ANNOUNCE, ...announced(tenant, quotaReached(found, Date.now(), [])));
}
