// The door for whoever makes definitions of types and needs no schemas: they take a tenth of a second to load.
export { isCapabilityId } from "./capability-id.ts";
export { HOOK_EVENTS } from "./hook-events.ts";
export { checkText } from "./json.ts";
export { exceeded, judge as accept } from "./judge.ts";
export { LIMITS, RUN_LIMITS, SOURCE_BYTES } from "./limits.ts";
export { isRange } from "./range.ts";
export { pathFault, signalFault } from "./route.ts";
export { cronFault } from "./schedule/cron.ts";
export { canonicalZone, zoneNames } from "./schedule/zone.ts";
export { printable, quoted } from "./text.ts";
export { SCHEMA_VERSION } from "./version.ts";
