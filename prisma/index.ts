export { type Allowance, admit, UNLIMITED_STARTS } from "./allowance.ts";
export { isFreeSignal } from "./announce.ts";
export type { AuditRow, NewAudit } from "./audit-entry.ts";
export type {
  AdminScope,
  ControlStore,
  FindingRow,
  Handed,
  KeyHead,
  KeyRow,
  NewRelease,
  NewRequest,
  Offers,
  Page,
  PageAsk,
  PluginScope,
  ReleaseRow,
  RequestRow,
  RunFilter,
  RunRow,
  SecretRow,
  Submitted,
  TenantRow,
  TenantScope,
  VersionHead,
  VersionRow,
  WorkflowRow,
} from "./control-store.ts";
export type {
  Append,
  ChildStart,
  EngineStore,
  InboxRequest,
  Lease,
  LoadedRun,
  Moved,
  Own,
  ReleaseStanding,
  StateEntry,
  StateWrite,
  StoredChild,
  StoredRelease,
} from "./engine-store.ts";
export { LimitReached, StartOutdated, unavailable } from "./error.ts";
export type { EventAsk, EventFilter } from "./event-ask.ts";
export { type LaneLimits, type LaneRow, MINUTES, QUOTAS, type QuotaName, type QuotaRow, quotaWord, type SpentQuota } from "./lane.ts";
export { openControlStore } from "./postgres-control.ts";
export { openEngineStore } from "./postgres-engine.ts";
export { quotaReached } from "./quota-signal.ts";
export { type Reached, reachedCode, reachedWords } from "./reached.ts";
export { prepareRoles } from "./role.ts";
export type { FannedOut } from "./scope/fan-out.ts";
export type { SessionOptions } from "./session.ts";
export type {
  Announcement,
  DeliveryOutcome,
  DeliveryRow,
  DoorWant,
  DueTrigger,
  Firing,
  NewDelivery,
  NewTrigger,
  Occurrence,
  PlatformSignal,
  Spread,
  Subscriber,
  TriggerRow,
  TriggerStore,
} from "./trigger.ts";
export { keeping } from "./trigger.ts";
export { openTriggerStore } from "./trigger-store.ts";
