export type StoreCode =
  | "WOML_TENANT_EXISTS"
  | "WOML_DATABASE_RIGHTS_MISSING"
  | "WOML_DATABASE_ROLE_TOO_POWERFUL"
  | "WOML_DATABASE_UNAVAILABLE"
  | "WOML_DATABASE_INTERRUPTED"
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

/** PostgreSQL refuses exactly this append, and would again: nothing of it is written. */
export class AppendRefused extends StoreError {
  constructor(message: string, cause?: unknown) {
    super("WOML_EVENT_REJECTED", message, cause);
    this.name = "AppendRefused";
  }
}
