export type { RerunInput, ResumeRunInput } from "./again.ts";
export { type Client, openClient } from "./client.ts";
export { ClientError } from "./client-error.ts";
export type { Lane, Quota, QuotaName } from "./lanes.ts";
export type { EmitSignalInput, EmittedSignal, SignalDelivery } from "./signals.ts";
export type { SetTriggerInput, Trigger, Workflow } from "./triggers.ts";
export type {
  ApiKey,
  AuditEntry,
  CreateKeyInput,
  DeliveriesAsk,
  Delivery,
  Diagnosis,
  Diagnostic,
  Finding,
  Me,
  OnAmbiguous,
  Page,
  PageAsk,
  PluginGrantInput,
  PluginRelease,
  Position,
  Published,
  PublishInput,
  ResolveApprovalInput,
  ResolveUnknownInput,
  RunSummary,
  RunsAsk,
  Secret,
  SourceFile,
  Standing,
  StartRunInput,
  SubmitPluginInput,
  Submitted,
  Tenant,
  Verification,
} from "./types.ts";
