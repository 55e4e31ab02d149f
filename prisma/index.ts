export type {
  ControlStore,
  KeyRow,
  NewRequest,
  Page,
  PageAsk,
  RequestRow,
  RunFilter,
  RunRow,
  TenantRow,
  TenantScope,
  VersionRow,
  WorkflowRow,
} from "./control-store.ts";
export type { Append, EngineStore, InboxRequest, Lease, LoadedRun, Moved, StoredDefinition } from "./engine-store.ts";
