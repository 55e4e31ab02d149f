/** In every build of ICU, though not in its list. */
const UTC = "UTC";

let known: ReadonlySet<string> | null = null;

/** The time zones of the ICU that this runs with, by the one name that it gives each. Read once, when first asked for. */
export function zoneNames(): ReadonlySet<string> {
  known ??= new Set([UTC, ...Intl.supportedValuesOf("timeZone")]);
  return known;
}

/** What ICU calls a zone that has several names; null for what it does not know. */
export function canonicalZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/**
 * Whether a zone is known by this name, or was: ICU renames zones, and what was stored under the older name still means the same. No
 * offset such as +02:00 is a zone.
 */
export function isKnownZone(name: string): boolean {
  return zoneNames().has(name) || zoneNames().has(canonicalZone(name) ?? "");
}
