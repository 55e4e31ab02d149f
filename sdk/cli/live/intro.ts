import type { Trigger } from "@woml/client";
import { isPlatformSignal } from "@woml/run";
import { startedBy } from "../triggers.ts";

/** Where a trigger is asked, and how: lines for people below what starts it. `where`: what a command needs to find this platform. */
export function introduced(trigger: Trigger, where: string, enter: string | null): readonly string[] {
  const { id, kind } = trigger;
  const head = `  ${id}  ${kind}  ${kind === "manual" ? (enter ?? "woml run in a terminal, or startRun of the API") : startedBy(trigger)}`;
  return [head, ...below(trigger, where).map((line) => `      ${line}`)];
}

function below(trigger: Trigger, where: string): readonly string[] {
  switch (trigger.kind) {
    case "webhook":
      return [curl(trigger), ...verified(trigger)];
    case "schedule":
    case "interval":
      return [`next: ${next(trigger)}`];
    case "signal":
      return signalled(trigger, where);
    default:
      return [];
  }
}

function signalled(trigger: Trigger, where: string): readonly string[] {
  const name = trigger.signal ?? "";
  if (isPlatformSignal(name)) return ["the platform alone emits it"];
  const inside = `woml signal emit ${name} --payload '{}'${where}`;
  return trigger.url === null ? [inside] : [inside, curl(trigger, ` -H "event-id: $(date +%s)"`), ...verified(trigger)];
}

/** One that can be pasted; a secret stands in it by its name. */
function curl({ url, secrets, setting }: Trigger, more = ""): string {
  const bearer = secrets.length > 0 && !isSigned(setting) ? ` -H "authorization: Bearer $${secrets[0]}"` : "";
  return `curl -s '${url}'${bearer}${more} -H 'content-type: application/json' -d '{}'`;
}

const isSigned = (setting: Trigger["setting"]): boolean => typeof setting === "object" && setting !== null && "verification" in setting;

function verified({ secrets, setting }: Trigger): readonly string[] {
  if (secrets.length === 0) return [];
  return [
    isSigned(setting) ? `signed with ${secrets.join(" or ")}: a plain curl is refused` : `$${secrets[0]} is the value of that secret`,
  ];
}

/** In local time, and in the schedule's own zone where that is another. */
function next({ nextFires: [first], timezone }: Trigger): string {
  if (first === undefined) return "never within five years";
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = timezone === null || timezone === own ? [own] : [own, timezone];
  return zones.map((zone) => `${wall(first, zone)} ${zone}`).join(", ");
}

function wall(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(Date.parse(at));
}
