export { iterationOf, lifecycleFor, messageFor, propsFor } from "./binding.ts";
export { awaitedUntil, awaitsChild } from "./child.ts";
export { contextText } from "./context.ts";
export { stamp } from "./envelope.ts";
export type {
  Called,
  EffectTerms,
  Failure,
  Lost,
  NewEvent,
  OperationFailure,
  OperationOutcome,
  Outcome,
  ParentCall,
  ResumedFrom,
  RunEvent,
  RunEvents,
  RunEventType,
  Seen,
  SignalFrom,
  Verdict,
} from "./event.ts";
export {
  type ApprovalView,
  type BranchView,
  type ChoiceView,
  type FlowViews,
  type ForkView,
  flowViews,
  type GroupView,
  type LoopView,
} from "./flow-view.ts";
export { BrokenLog, type BrokenLogCode, brokenLogCodes } from "./fold/broken.ts";
export { fold, foldAll, genesis, remembering } from "./fold.ts";
export type { ActionView, HookView, WarningView } from "./hook-view.ts";
export { asRunId, asTenantId, parseRunId, parseVersionId, type RunId, type RunKey, showRunId, showVersionId, type TenantId } from "./id.ts";
export {
  besideOf,
  type Inheritance,
  inherit,
  inheritsApproval,
  RESUME_FAULTS,
  type ResumeRefused,
  repeated,
  samePayload,
  standsBefore,
} from "./inherit.ts";
export type { Ledger } from "./ledger.ts";
export { approvalDeadlines, hasDeadline, isFlowOpen, mayRun, openSteps, pendingOf } from "./open.ts";
export { type OperationView, operationViews, unresolved } from "./operation-view.ts";
export { type Projection, project, type RunStatus, type Waiting, waitingHeld, waitingInLine } from "./projection.ts";
export { viewOfShown } from "./shown.ts";
export { type Deaf, excessOf, type Heard, hear, isPlatformSignal, type Listener, SIGNAL_LIMITS } from "./signal.ts";
export { type ActionSite, actionAt, actionSite, hookAt, hookOf, indexAt, isAction, nodeAt, siteIn } from "./site.ts";
export {
  type ApprovalState,
  type ChoiceState,
  type ForkState,
  type HookState,
  type LoopState,
  type OperationState,
  operationId,
  type ParallelState,
  type RunState,
  type StepState,
} from "./state.ts";
export { type AttemptView, type StepView, stepViews } from "./step-view.ts";
export { actionsOf, hookFor, NOTICE_DELAYS_MS, noticeAt, type OwnEvent, ownScripts, type Task, taskAt } from "./task.ts";
export { type Timer, type TimerKey, timerChanges, timers } from "./timer.ts";
export { APPROVAL_TOKEN_MS, type ApprovalKey, approvalToken, parseApprovalToken, tokenSecret } from "./token.ts";
export { lookUp, type Referred } from "./value.ts";
export { type EventView, eventViews, queuedView, type RunView, view } from "./view.ts";
export { windowFrom } from "./window.ts";
