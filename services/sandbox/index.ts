export { DEFAULT_LIMITS } from "./bounds.ts";
export { type Invocation, type Listener, openDoor, type Sandbox } from "./door.ts";
export type { Limits, Outcome as ScriptOutcome, OutcomeName } from "./frames.ts";
export { measureContextMs } from "./measure.ts";
export type { PoolOptions } from "./options.ts";
export { type SupervisorProcess, startSupervisor, takesSocket } from "./start.ts";
