// A run that goes back to another: its request stands in a scope of that one, so that it is found from there.
import { randomUUID } from "node:crypto";
import type { Json } from "@woml/model";
import type { NewRequest, RequestRow, TenantScope } from "@woml/prisma";
import { type RunId, showRunId } from "@woml/run";
import { entryOf } from "./audit.ts";
import { mintRunId } from "./ids.ts";
import { type RunSource, runOfRow, runOfStart } from "./run-source.ts";

export interface Begun {
  readonly run: RunSource;
  readonly duplicate: boolean;
}
export interface Successor {
  readonly of: RunId;
  readonly how: "resume" | "rerun";
  /** null: each request is one of its own. */
  readonly key: string | null;
  readonly digest: string;
  readonly body: Json;
  /** Whose key asks, and what the audit says of it. */
  readonly by: string;
  readonly detail: Readonly<Record<string, Json>>;
  readonly meant?: NewRequest["meant"];
}

export const scopeOf = (how: Successor["how"], run: RunId): string => `${how}:${run}`;

/** Stores the request, with who asked for it; or answers the one that stands under its key. */
export async function begin(
  scope: TenantScope,
  { of, how, key, digest, body, by, detail, meant }: Successor,
): Promise<{ row: RequestRow; created: boolean }> {
  const wanted = { id: randomUUID(), run: mintRunId(), scope: scopeOf(how, of), key, digest, body, ...(meant && { meant }) };
  const { row, created } = await scope.submit(wanted);
  if (created) await scope.record(entryOf(by, `run.${how}`, showRunId(of), { run: showRunId(row.run), ...detail }));
  return { row, created };
}

/** The run of a request, as it stands by now. */
export async function runOf(scope: TenantScope, row: RequestRow): Promise<RunSource> {
  const admitted = await scope.run(row.run);
  return admitted ? runOfRow(admitted) : runOfStart(row);
}
