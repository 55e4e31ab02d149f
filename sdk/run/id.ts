declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** UUIDs as PostgreSQL prints them, bare inside the house. */
export type TenantId = Branded<"TenantId">;
export type RunId = Branded<"RunId">;

/** A run is never named without its tenant. */
export interface RunKey {
  readonly tenant: TenantId;
  readonly run: RunId;
}

/** For the doors that have checked the text, or read it from a column of type uuid. */
export const asTenantId = (uuid: string): TenantId => uuid as TenantId;
export const asRunId = (uuid: string): RunId => uuid as RunId;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const RUN = new RegExp(`^run_(${UUID})$`);
const VERSION = /^ver_([0-9a-f]{64})$/;

/** At the API: `run_<uuid>`, `ver_<hex of the definition's hash>`. */
export const showRunId = (run: RunId): string => `run_${run}`;
export const parseRunId = (text: string): RunId | null => (RUN.exec(text)?.[1] ?? null) as RunId | null;
export const showVersionId = (hash: string): string => hash.replace(/^sha256:/, "ver_");
export const parseVersionId = (text: string): string | null => (VERSION.test(text) ? text.replace("ver_", "sha256:") : null);
