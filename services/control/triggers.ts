import type { Trigger } from "@woml/model";
import type { Page, TenantScope, TriggerRow } from "@woml/prisma";
import type { PageArguments } from "./page.ts";

/** A trigger as it is asked about: its tenant's name at doors, and PostgreSQL's time of the question, epoch ms. */
export interface SeenTrigger extends TriggerRow {
  readonly door: string;
  readonly now: number;
}
/** What a workflow has at most, and of how many workflows they are read at once. */
export const TRIGGERS_MAX = 64;

export interface TriggersArguments extends PageArguments {
  readonly workflow?: string | null;
}
type Scope = Pick<TenantScope, "tenant" | "tenantRow" | "now">;

export async function seen(scope: Scope, { items, hasNext }: Page<TriggerRow>): Promise<Page<SeenTrigger>> {
  if (items.length === 0) return { items: [], hasNext };
  const [named, now] = [await scope.tenantRow(), await scope.now()];
  const door = doorOf(named?.name ?? "", scope.tenant);
  return { items: items.map((row) => ({ ...row, door, now })), hasNext };
}

/** A tenant's name where it can stand in an address as it is, else its id. */
const doorOf = (name: string, id: string): string => (/^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/.test(name) ? name : id);

/** The store holds triggers of definitions that were accepted. */
export const specOf = ({ spec }: Pick<TriggerRow, "spec">): Trigger => spec as unknown as Trigger;

export const triggerKey = ({ workflow, trigger }: Pick<TriggerRow, "workflow" | "trigger">): string => `${workflow}/${trigger}`;
