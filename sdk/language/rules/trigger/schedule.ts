import { cronFault } from "@woml/model/laws";
import { intervalMs } from "../../duration.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";
import { isZone, zoneHint } from "../../zones.ts";

const MISSED: readonly string[] = ["skip", "run-once"];
const CRON_HINT = "Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5 is nine o'clock from Monday to Friday.";

/** When a schedule fires, and by which clock. */
export const scheduleTime: Rule = (findings) => (element) => {
  if (element.name !== "schedule") return;
  const cron = element.attributes.get("cron");
  const fault = cron?.value == null ? null : cronFault(cron.value);
  if (cron && fault) findings.onValue(cron, { code: "WOML_SCHEDULE_CRON_INVALID", message: fault, hint: CRON_HINT });
  const zone = element.attributes.get("timezone");
  if (zone?.value == null || isZone(zone.value)) return;
  const message = `${quoted(zone.value)} is not the name that a time zone goes by.`;
  findings.onValue(zone, { code: "WOML_SCHEDULE_TIMEZONE_INVALID", message, hint: zoneHint(zone.value) });
};

export const intervalLength: Rule = (findings) => (element) => {
  const every = element.name === "interval" ? element.attributes.get("every") : undefined;
  if (every?.value == null || intervalMs(every.value) !== null) return;
  const message = `${quoted(every.value)} is no interval.`;
  findings.onValue(every, { code: "WOML_INTERVAL_INVALID", message, hint: "A whole number and a unit, from 1s to 30d: 90s, 15m, 1d." });
};

/** What a schedule or an interval does about the times at which nothing ran. */
export const missedTimes: Rule = (findings) => (element) => {
  const missed = element.name === "schedule" || element.name === "interval" ? element.attributes.get("on-missed") : undefined;
  if (missed?.value == null || MISSED.includes(missed.value)) return;
  const message = `${quoted(missed.value)} says nothing about missed times.`;
  findings.onValue(missed, { code: "WOML_TRIGGER_MISFIRE_INVALID", message, hint: "Write skip, or run-once." });
};
