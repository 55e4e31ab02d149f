export type { Invocation, Listener, Sandbox } from "./door.ts";
export type { Limits, Outcome as ScriptOutcome, OutcomeName } from "./frames.ts";
