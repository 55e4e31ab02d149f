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
/** A key without its text. `id` is the eight characters after `woml_`; `tenant` is null for an administrator's. */
export interface ApiKey {
  readonly id: string;
  readonly tenant: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: string;
}
/** A tenant's key, or one that administers the platform. */
export type CreateKeyInput = { readonly tenant: string } | { readonly admin: true };
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
  /** A manual trigger; the first one when absent. */
  readonly trigger?: string;
  readonly payload?: Json;
  readonly idempotencyKey?: string;
  readonly labels?: readonly string[];
  /** ISO 8601 with its offset: not before then. */
  readonly startAt?: string;
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
/** How many events a run has, and of which operations (`step:attempt:call`) and attempts (`step:attempt`) nobody knows how they ended. */
export interface Standing {
  readonly head: number;
  readonly unresolvedEffects: readonly string[];
}
/**
 * What a person says of an unknown outcome. `expectedHead` is the run's head as it was when they looked. `message`, 1 to 1,024 printable
 * characters, is why; a script is given that of a failure.
 */
export type ResolveUnknownInput = {
  readonly run: string;
  readonly operation: string;
  readonly expectedHead: number;
  readonly message?: string;
} & (
  | { readonly outcome: "succeeded"; readonly result: Json }
  | { readonly outcome: "failed"; readonly message: string }
  | { readonly outcome: "retry" }
);
/** Something that somebody who looks after the platform should look at. `kind` is a word of GraphQL's FindingKind. */
export interface Finding {
  readonly kind: string;
  readonly run: string;
  readonly tenant: string;
  readonly cause: string;
  readonly since: string | null;
  readonly advice: string;
}
export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly isComplete: boolean;
}
/** The first decision counts: the same again is the same one. `approval` is the node's id. */
export interface ResolveApprovalInput {
  readonly run: string;
  readonly approval: string;
  readonly decision: "approved" | "rejected";
}
/** Without its value, which nobody can read again. */
export interface Secret {
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
/** Digests are `sha256:` and 64 hex digits. `granted`: to the asking tenant; null for the administrator. */
export interface PluginRelease {
  readonly release: string;
  readonly capability: string;
  readonly version: string;
  readonly manifest: Json;
  readonly artefactDigest: string;
  readonly manifestDigest: string;
  readonly submittedBy: string;
  readonly createdAt: string;
  readonly approved: { readonly by: string; readonly at: string } | null;
  readonly revokedAt: string | null;
  readonly granted: boolean | null;
}
/** `artefact` is the text of one ES module, at most 20 MiB in UTF-8. */
export interface SubmitPluginInput {
  readonly manifest: Json;
  readonly artefact: string;
}
/** `release` is null when there are complaints. */
export interface Submitted {
  readonly release: PluginRelease | null;
  readonly created: boolean;
  readonly complaints: readonly string[];
}
export type ApprovePluginInput = Pick<PluginRelease, "release" | "artefactDigest" | "manifestDigest">;
export interface PluginGrantInput {
  readonly tenant: string;
  readonly capability: string;
}
/** What came to a trigger, or was due; names that are null belong to no trigger. Times are ISO 8601. */
export interface Delivery {
  readonly id: string;
  readonly workflow: string | null;
  readonly trigger: string | null;
  readonly kind: string;
  readonly outcome: "accepted" | "duplicate" | "rejected" | "refused" | "missed";
  readonly code: string | null;
  readonly source: string | null;
  readonly count: number;
  readonly at: string;
  readonly run: string | null;
  readonly bodyDigest: string | null;
  readonly secret: string | null;
  readonly detail: Json;
}
/** Of one workflow, or of one of its triggers; without a workflow, what none of them was for. */
export type DeliveriesAsk = PageAsk & { readonly workflow?: string; readonly trigger?: string };
export interface AuditEntry {
  readonly id: string;
  readonly tenant: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Json;
}
/** What a script is given where nobody knows how an operation ended: nothing until a person has said it, or an error. */
export type OnAmbiguous = "ask" | "fail";
