export type {
  ControlStore,
  EventAsk,
  KeyRow,
  NewRequest,
  Page,
  PageAsk,
  RequestRow,
  RunFilter,
  RunRow,
  Submitted,
  TenantRow,
  TenantScope,
  VersionHead,
  VersionRow,
  WorkflowRow,
} from "./control-store.ts";
export type { Append, EngineStore, InboxRequest, Lease, LoadedRun, Moved } from "./engine-store.ts";
export { openControlStore } from "./postgres-control.ts";
export { openEngineStore } from "./postgres-engine.ts";
export { prepareRoles } from "./role.ts";
