export { type SupervisorProcess, takesSocket } from "@woml/child";
export { DEFAULT_LIMITS } from "./bounds.ts";
export { type Invocation, type Listener, openDoor, type Sandbox, type ScriptCall } from "./door.ts";
export type { JournalEntry, Limits, Outcome as ScriptOutcome, OutcomeName } from "./frames.ts";
export { measureContextMs } from "./measure.ts";
export { type PoolOptions, poolOptions } from "./options.ts";
export { openSandboxes, type Sandboxes, type SandboxesOptions } from "./sandboxes.ts";
export { startSupervisor } from "./start.ts";
export { openSupervisor, type Supervisor, type SupervisorOptions } from "./supervisor.ts";
