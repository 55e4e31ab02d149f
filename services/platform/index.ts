export { interruption, openLog } from "@woml/boot";
export { openPlatform, type Platform, type PlatformOptions } from "./platform.ts";
export { openPostgres, type Postgres } from "./postgres.ts";
export { Refusal, type RefusalCode } from "./refusal.ts";
