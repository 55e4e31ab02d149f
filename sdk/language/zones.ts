import { didYouMean } from "./closest.ts";

/** In every build of ICU, though not in its list. */
const UTC = "UTC";

let known: ReadonlySet<string> | null = null;

/** The time zones of the ICU that this runs with, by the one name that it gives each. Read once, when first asked for. */
function zones(): ReadonlySet<string> {
  known ??= new Set([UTC, ...Intl.supportedValuesOf("timeZone")]);
  return known;
}

export const isZone = (name: string): boolean => zones().has(name);

/** Which zone was most likely meant. */
export function zoneHint(name: string): string {
  const canonical = canonicalName(name);
  if (canonical !== null && isZone(canonical)) return `Write ${canonical}: a zone goes by one name.`;
  return didYouMean(name, zones(), "Write the name of a zone, such as Europe/Berlin, or UTC.");
}

/** What ICU calls a zone that has several names; null for what it does not know. */
function canonicalName(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
