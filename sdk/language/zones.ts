import { canonicalZone, zoneNames } from "@woml/model/laws";
import { didYouMean } from "./closest.ts";

/** A zone goes by one name in a source, the one that the ICU which this runs with gives it. */
export const isZone = (name: string): boolean => zoneNames().has(name);

/** Which zone was most likely meant. */
export function zoneHint(name: string): string {
  const canonical = canonicalZone(name);
  if (canonical !== null && isZone(canonical)) return `Write ${canonical}: a zone goes by one name.`;
  return didYouMean(name, zoneNames(), "Write the name of a zone, such as Europe/Berlin, or UTC.");
}
