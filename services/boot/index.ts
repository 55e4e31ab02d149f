export { type Doorbell, memoryDoorbell, SHARED } from "./doorbell.ts";
export { makeSealKeys, publicOf, type Sealing, type SealKeys, seal, unseal } from "./envelope.ts";
export { type Log, type LogLevel, openLog } from "./log.ts";
export { interruption, openStops, type Stops } from "./stop.ts";
