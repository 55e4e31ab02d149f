import { type QuotaName, quotaWord } from "./lane.ts";

/** What keeps a start back. `quota` null: the line of the tenant's policies is full. `resetsAt`, epoch ms: when it moves; null where that is no matter of time. */
export interface Reached {
  readonly quota: QuotaName | null;
  readonly limit: number;
  /** What is used already, where that is known. */
  readonly used?: number | undefined;
  readonly resetsAt: number | null;
}
/** Names the limit, its value and when it moves, as part of a sentence. */
export function reachedWords({ quota, limit, used, resetsAt }: Reached): string {
  if (quota === null) return `${limit} starts of workflows with a policy wait for a place already`;
  if (quota === "stored_bytes")
    return `the tenant stores ${used} bytes and may store ${limit}, which moves with its quota and not with time`;
  const until = resetsAt === null ? "" : ` until ${new Date(resetsAt).toISOString()}`;
  return `the tenant's quota ${quotaWord(quota)} of ${limit} is used up${until}`;
}

export const reachedCode = ({ quota }: Pick<Reached, "quota">): "WOML_POLICY_QUEUE_FULL" | "WOML_QUOTA_EXCEEDED" =>
  quota === null ? "WOML_POLICY_QUEUE_FULL" : "WOML_QUOTA_EXCEEDED";
