export { interruption, openLog } from "@woml/boot";
export { openPlatform, type Platform, type PlatformOptions } from "./platform.ts";
export { Refusal, type RefusalCode } from "./refusal.ts";
