export { type Client, openClient } from "./client.ts";
export { ClientError } from "./client-error.ts";
export type {
  Diagnostic,
  Me,
  Page,
  PageAsk,
  Position,
  Published,
  PublishInput,
  RunSummary,
  RunsAsk,
  SourceFile,
  StartRunInput,
  Tenant,
  Verification,
} from "./types.ts";
