// The door for whoever takes definitions as they are, or makes them, and needs no schemas: they take a quarter of a second to load.
export { canonical } from "./canonical.ts";
export { isCapabilityId } from "./capability-id.ts";
export { HOOK_EVENTS } from "./hook-events.ts";
export { checkText } from "./json.ts";
export { exceeded, judge as accept } from "./judge.ts";
export { LIMITS, RUN_LIMITS, SOURCE_BYTES, STATE_LIMITS } from "./limits.ts";
export { isRange } from "./range.ts";
export { pathFault, signalFault } from "./route.ts";
export { cronFault } from "./schedule/cron.ts";
export { canonicalZone, zoneNames } from "./schedule/zone.ts";
export { payloadJudge } from "./schema/payload.ts";
export { printable, quoted, utf8Bytes } from "./text.ts";
export { SCHEMA_VERSION } from "./version.ts";
