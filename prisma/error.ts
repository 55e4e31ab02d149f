import { wordsOf } from "./fault.ts";
import { type Reached, reachedCode, reachedWords } from "./reached.ts";

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

/** As many starts of the tenant wait in lines as may, or a quota of it is used up: nothing is written. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly code: ReturnType<typeof reachedCode>;
  readonly reached: Reached;

  constructor(reached: Reached) {
    super(reachedWords(reached));
    this.code = reachedCode(reached);
    this.reached = reached;
  }
}

/** Another version is active by now, or its trigger stands otherwise: it is to be judged again. Nothing of it is written. */
export class StartOutdated extends Error {
  override readonly name = "StartOutdated";
}

/** PostgreSQL refuses exactly this append, and would again: nothing of it is written. */
export class AppendRefused extends StoreError {
  constructor(message: string, cause?: unknown) {
    super("WOML_EVENT_REJECTED", message, cause);
    this.name = "AppendRefused";
  }
}
