export type { Address } from "./config/kind.ts";
export { ConfigRefusal, isRole, namesOf, printSettings, readSettings, type Sources } from "./config/read.ts";
export { ROLES, type Role, SETTINGS, type SettingName, type Settings } from "./config/settings.ts";
export { type Doorbell, memoryDoorbell, SHARED } from "./doorbell.ts";
export { makeSealKeys, publicOf, type Sealing, type SealKeys, seal, unseal } from "./envelope.ts";
export { type Health, serveHealth, urlOf } from "./health.ts";
export { type Log, type LogLevel, openLog } from "./log.ts";
export { interruption, openStops, type Stops } from "./stop.ts";
export { type Attributes, METRICS, type MetricName, noTelemetry, type Span, type SpanOptions, type Telemetry } from "./telemetry.ts";
