import type { Trigger } from "@woml/client";
import { span } from "@woml/model";

/** What starts it, in few words. */
export function startedBy({ kind, url, signal, cron, timezone, everyMs }: Trigger): string {
  if (kind === "webhook") return `POST ${url}`;
  if (kind === "schedule") return `${cron} ${timezone}`;
  if (kind === "interval") return `every ${span(everyMs ?? 0)}`;
  if (kind === "signal") return `${signal}${url === null ? "" : `, POST ${url}`}`;
  return "a person, or the API";
}
