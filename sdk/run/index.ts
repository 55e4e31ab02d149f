export type { Failure, Lost, NewEvent, Outcome, RunEvent, RunEvents, RunEventType } from "./event.ts";
export { asRunId, asTenantId, parseRunId, parseVersionId, type RunId, type RunKey, showRunId, showVersionId, type TenantId } from "./id.ts";
export type { Ledger } from "./ledger.ts";
export type { Projection, RunStatus, Timer, TimerKey, Waiting } from "./projection.ts";
export type { ChoiceState, ParallelState, RunState, StepState } from "./state.ts";
export type { AttemptView, EventView, RunView, StepView } from "./view.ts";
