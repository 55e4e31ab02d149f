import { setTimeout as sleep } from "node:timers/promises";
import { unavailable } from "@woml/prisma";
import { Refusal } from "../refusal.ts";
import type { Around } from "./part.ts";

const PAUSE_MS = { first: 200, most: 5_000 } as const;
/** What waiting does not mend. A role that cannot be taken yet may be made meanwhile, by `woml migrate` or an administrator. */
const FINAL = new Set(["WOML_DATABASE_ROLE_TOO_POWERFUL", "WOML_ADMIN_KEY_INVALID", "WOML_PORT_TAKEN", "WOML_CONFIG_INVALID"]);

/** What is not there yet, in words of ours. */
export class Unmet extends Error {
  override readonly name = "Unmet";
}

/** Tries until it succeeds: a cluster starts in any order. Rejects with what waiting does not mend, and when the process is told to end. */
export async function untilDone<T>(what: string, work: () => Promise<T>, { log, signal, waits }: Around): Promise<T> {
  let pauseMs: number = PAUSE_MS.first;
  for (let said = ""; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
    if (signal.aborted) throw interrupted();
    try {
      return await work();
    } catch (error) {
      if (FINAL.has(codeOf(error))) throw error;
      const reason = `${what}: ${messageOf(error)}`;
      waits(reason);
      if (reason !== said) log.warn({ reason }, "waits");
      said = reason;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** Until this build's migrations are all applied: by `woml migrate`, never by a service. */
export function untilMigrated(store: { pendingMigrations(): Promise<readonly string[]> }, around: Around): Promise<void> {
  return untilDone("migrations", async () => refuse(await store.pendingMigrations()), around);
}

/** Why a store is of no use just now, or null; asked anew at most once a second. */
export function storeFault(store: { pendingMigrations(): Promise<readonly string[]> }): () => Promise<string | null> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<string | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - askedAt < FRESH_MS) return answer;
    askedAt = performance.now();
    answer = store.pendingMigrations().then(lacking, () => "the database does not answer");
    return answer;
  };
}
const FRESH_MS = 1_000;

function lacking(pending: readonly string[]): string | null {
  return pending.length === 0 ? null : `the database lacks ${pending.join(", ")}: run \`woml migrate\``;
}

function refuse(pending: readonly string[]): void {
  const reason = lacking(pending);
  if (reason !== null) throw new Unmet(reason);
}

function interrupted(): Refusal {
  return new Refusal("WOML_START_INTERRUPTED", "The start was interrupted.");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Never a driver's own message as it is: it may quote the URL that it was given, or the call that was made of it. */
function messageOf(error: unknown): string {
  const { message } = error instanceof Unmet ? error : unavailable(error);
  return message.replace(/^The database cannot be used: /, "").slice(0, 300);
}
