import type { Code } from "../codes.ts";
import type { Law } from "../outline.ts";
import { pathFault, signalFault } from "../route.ts";
import { cronFault } from "../schedule/cron.ts";
import { isKnownZone } from "../schedule/zone.ts";
import { quoted } from "../text.ts";
import type { Trigger } from "../trigger.ts";
import { pointer, violated } from "../violation.ts";

/** Times, zones, paths and names of triggers are such as the platform can read. */
export const readableTriggers: Law = function* ({ definition }) {
  for (const [at, trigger] of definition.triggers.entries()) {
    for (const [code, member, fault] of faultsOf(trigger)) {
      if (fault !== null) yield violated(code, `/triggers${pointer(at)}/${member}`, fault);
    }
  }
};

function faultsOf(trigger: Trigger): readonly (readonly [Code, member: string, fault: string | null])[] {
  switch (trigger.kind) {
    case "schedule":
      return [
        ["WOML_SCHEDULE_CRON_INVALID", "cron", cronFault(trigger.cron)],
        ["WOML_SCHEDULE_TIMEZONE_INVALID", "timezone", zoneFault(trigger.timezone)],
      ];
    case "webhook":
      return [["WOML_WEBHOOK_PATH_INVALID", "path", pathFault(trigger.path)]];
    case "signal":
      return [["WOML_EVENT_NAME_INVALID", "name", signalFault(trigger.name)]];
    default:
      return [];
  }
}

const zoneFault = (zone: string): string | null => (isKnownZone(zone) ? null : `${quoted(zone)} is not the name of a time zone.`);
