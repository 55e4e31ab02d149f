import { isTimed, type Json, nextSlots, type Trigger, type TriggerSetting } from "@woml/model";
import { isPlatformSignal, showVersionId } from "@woml/run";
import type { Asking, Resolvers } from "../asking.ts";
import { firstOf, type PageArguments } from "../page.ts";
import { type SeenTrigger, specOf } from "../triggers.ts";

type None = Record<never, never>;

/** A field that some kinds of triggers have, else null. */
const member = (name: string) => (row: SeenTrigger) => (specOf(row) as Trigger & { readonly [name: string]: Json })[name] ?? null;

export const triggerResolvers: Resolvers = {
  id: ({ trigger }: SeenTrigger) => trigger,
  version: ({ version }: SeenTrigger) => showVersionId(version),
  url: ({ kind, route, door, secrets }: SeenTrigger, _: None, { publicUrl }: Asking) => {
    if (kind === "webhook") return `${publicUrl}/t/${door}/hooks${route}`;
    return kind === "signal" && secrets.length > 0 && !isPlatformSignal(route ?? "") ? `${publicUrl}/t/${door}/events/${route}` : null;
  },
  signal: ({ kind, route }: SeenTrigger) => (kind === "signal" ? route : null),
  cron: member("cron"),
  timezone: member("timezone"),
  everyMs: member("everyMs"),
  onMissed: member("onMissed"),
  secrets: ({ secrets, setting }: SeenTrigger) => {
    const { verification } = (setting ?? {}) as TriggerSetting;
    return [...new Set([...secrets, ...(verification?.secrets ?? [])])];
  },
  since: ({ since }: SeenTrigger) => new Date(since).toISOString(),
  lastDelivery: (row: SeenTrigger, _: None, { reads }: Asking) => reads.lastDelivery(row),
  nextFires: (row: SeenTrigger, args: Pick<PageArguments, "first">) => {
    const first = firstOf(args);
    const trigger = specOf(row);
    if (!isTimed(trigger)) return [];
    const after = row.nextAt === null ? row.now : row.nextAt - 1;
    const slots = nextSlots({ trigger, setting: row.setting as TriggerSetting | null, since: row.since }, after, first);
    return slots.map((at) => new Date(at).toISOString());
  },
};
