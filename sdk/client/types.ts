import type { RunStatus, RunView, Waiting } from "@woml/run";

type Json = RunView["payload"];

/** `first` is 1 to 100 (20 when absent); `after` is the `endCursor` of the page before. */
export interface PageAsk {
  readonly first?: number;
  readonly after?: string | null;
}
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}
export interface Tenant {
  readonly id: string;
  readonly name: string;
}
export interface Me {
  readonly tenant: Tenant | null;
  readonly admin: boolean;
}
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}
export interface Diagnostic {
  readonly file: string;
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string | null;
  readonly start: Position | null;
  readonly end: Position | null;
}
/** Either files or a definition; `activate` is true when absent. */
export type PublishInput = ({ readonly files: readonly SourceFile[] } | { readonly definition: Json }) & { readonly activate?: boolean };
/** `version` is null when a diagnostic is an error. */
export interface Published {
  readonly version: string | null;
  readonly created: boolean;
  readonly diagnostics: readonly Diagnostic[];
}
export interface StartRunInput {
  readonly workflow: string;
  readonly version?: string;
  readonly payload?: Json;
  readonly idempotencyKey?: string;
  readonly labels?: readonly string[];
}
/** What a list shows of a run. Times are ISO 8601 in UTC. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly status: RunStatus;
  readonly labels: readonly string[];
  readonly waiting: Waiting | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}
export interface RunsAsk extends PageAsk {
  readonly workflow?: string;
  readonly status?: readonly RunStatus[];
  readonly label?: string;
}
export interface Verification {
  readonly run: string;
  readonly tenant: string;
  readonly ok: boolean;
  readonly differences: readonly string[];
}
