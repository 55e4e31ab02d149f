export type { RerunInput, ResumeRunInput } from "./again.ts";
export { type Client, openClient } from "./client.ts";
export { ClientError } from "./client-error.ts";
export type {
  ApiKey,
  AuditEntry,
  CreateKeyInput,
  Diagnostic,
  Me,
  OnAmbiguous,
  Page,
  PageAsk,
  PluginGrantInput,
  PluginRelease,
  Position,
  Published,
  PublishInput,
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
