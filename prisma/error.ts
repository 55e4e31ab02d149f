import { wordsOf } from "./fault.ts";

export type StoreCode =
  | "WOML_TENANT_EXISTS"
  | "WOML_DATABASE_RIGHTS_MISSING"
  | "WOML_DATABASE_ROLE_TOO_POWERFUL"
  | "WOML_DATABASE_UNAVAILABLE"
  | "WOML_DATABASE_INTERRUPTED"
  | "APPEND_OUTDATED"
  | "APPEND_NO_ROOM"
  | "WOML_EVENT_REJECTED";

/** What the stores refuse on purpose; every other rejection is PostgreSQL's or the network's own. */
export class StoreError extends Error {
  readonly code: StoreCode;

  constructor(code: StoreCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreError";
    this.code = code;
  }
}

/** As it is when it has a code of ours; else that the database cannot be used, and why. */
export function unavailable(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError("WOML_DATABASE_UNAVAILABLE", `The database cannot be used: ${wordsOf(error)}.`, error);
}

/** What it was judged by has changed in the meantime: it is to be judged again, on what stands now. Nothing of it is written. */
export class AppendOutdated extends StoreError {
  constructor() {
    super("APPEND_OUTDATED", "What the append was judged by has changed.");
    this.name = "AppendOutdated";
  }
}

/** It takes up a place, and there is none in its lanes: nothing of it is written. A run that has begun stands in line from now on, and nobody owns it. */
export class NoRoom extends StoreError {
  constructor() {
    super("APPEND_NO_ROOM", "There is no place in its lane.");
    this.name = "NoRoom";
  }
}

/**
 * As many starts of the tenant wait in lines as may, or a quota of it is used up: nothing is written. `resetsAt`, epoch ms: when there is room again;
 * null where that is not a matter of time.
 */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly code: "WOML_POLICY_QUEUE_FULL" | "WOML_QUOTA_EXCEEDED";
  readonly quota: string | null;
  readonly limit: number;
  readonly resetsAt: number | null;
  /** What is used already, where that is known. */
  readonly used: number | undefined;

  constructor({ quota, limit, resetsAt, used }: Pick<LimitReached, "quota" | "limit" | "resetsAt"> & { readonly used?: number }) {
    super("A limit of the tenant is reached.");
    this.code = quota === null ? "WOML_POLICY_QUEUE_FULL" : "WOML_QUOTA_EXCEEDED";
    this.quota = quota;
    this.limit = limit;
    this.resetsAt = resetsAt;
    this.used = used;
  }
}

/** PostgreSQL refuses exactly this append, and would again: nothing of it is written. */
export class AppendRefused extends StoreError {
  constructor(message: string, cause?: unknown) {
    super("WOML_EVENT_REJECTED", message, cause);
    this.name = "AppendRefused";
  }
}
