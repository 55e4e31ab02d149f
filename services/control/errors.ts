/** Every code that the API answers with, and the HTTP status it has when the whole request is refused because of it. */
export const CODES = {
  WOML_UNAUTHENTICATED: 401,
  WOML_FORBIDDEN: 200,
  WOML_INTERNAL: 500,
  WOML_OVERLOADED: 503,
  WOML_DATABASE_INTERRUPTED: 503,
  WOML_HTTP_INVALID: 400,
  WOML_PATH_UNKNOWN: 404,
  WOML_METHOD_NOT_ALLOWED: 405,
  WOML_CONTENT_TYPE_UNSUPPORTED: 415,
  WOML_BODY_INVALID: 400,
  WOML_BODY_TOO_LARGE: 413,
  WOML_BATCH_NOT_ALLOWED: 400,
  WOML_QUERY_INVALID: 400,
  WOML_QUERY_TOO_LARGE: 400,
  WOML_QUERY_TOO_DEEP: 400,
  WOML_QUERY_ALIASES_EXCEEDED: 400,
  WOML_QUERY_TOO_COSTLY: 400,
  WOML_ANSWER_TOO_LARGE: 200,
  WOML_ID_INVALID: 200,
  WOML_CURSOR_INVALID: 200,
  WOML_PAGE_SIZE_INVALID: 200,
  WOML_SOURCES_INVALID: 200,
  WOML_PUBLISH_INPUT_INVALID: 200,
  WOML_WORKFLOW_NOT_FOUND: 200,
  WOML_WORKFLOW_NOT_ACTIVE: 200,
  WOML_VERSION_NOT_FOUND: 200,
  WOML_PAYLOAD_INVALID: 200,
  WOML_PAYLOAD_TOO_LARGE: 200,
  WOML_JSON_NUL_CHARACTER: 200,
  WOML_JSON_LONE_SURROGATE: 200,
  WOML_JSON_TOO_DEEP: 200,
  WOML_JSON_FORBIDDEN_KEY: 200,
  WOML_JSON_NUMBER_OUT_OF_RANGE: 200,
  WOML_JSON_NOT_A_VALUE: 200,
  WOML_LABELS_INVALID: 200,
  WOML_IDEMPOTENCY_KEY_INVALID: 200,
  WOML_IDEMPOTENCY_CONFLICT: 200,
  WOML_RUN_NOT_FOUND: 200,
  WOML_RUN_ALREADY_TERMINAL: 200,
  WOML_RUN_HELD: 200,
  WOML_OPERATION_NOT_FOUND: 200,
  WOML_OPERATION_NOT_UNKNOWN: 200,
  WOML_RESOLUTION_STALE: 200,
  WOML_RESOLUTION_TOO_EARLY: 200,
  WOML_RESOLUTION_RESULT_INVALID: 200,
  WOML_REASON_INVALID: 200,
  WOML_SECRET_NAME_INVALID: 200,
  WOML_SECRET_INVALID: 200,
  WOML_SECRETS_TOO_MANY: 200,
  WOML_PLUGIN_ARTEFACT_INVALID: 200,
  WOML_PLUGIN_ID_RESERVED: 200,
  WOML_PLUGIN_VERSION_TAKEN: 200,
  WOML_PLUGINS_TOO_MANY: 200,
  WOML_PLUGIN_NOT_FOUND: 200,
  WOML_PLUGIN_REVOKED: 200,
  WOML_PLUGIN_DIGEST_MISMATCH: 200,
  WOML_REVIEWER_IS_SUBMITTER: 200,
  WOML_CAPABILITY_INVALID: 200,
  WOML_KEY_SCOPE_INVALID: 200,
  WOML_KEY_NOT_FOUND: 200,
  WOML_KEY_IS_LAST: 200,
  WOML_TENANT_NOT_FOUND: 200,
  WOML_TENANT_NAME_INVALID: 200,
  WOML_TENANT_EXISTS: 200,
} as const;
export type ApiCode = keyof typeof CODES;

/** A refusal that the caller shall read. Everything else that is thrown is a fault of ours and is masked. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiCode;
  /** Further fields of `extensions`, such as `limit`, `actual` and `path`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ApiCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Keeps control from starting. */
export class ControlRefusal extends Error {
  override readonly name = "ControlRefusal";
  readonly code: "WOML_PORT_TAKEN" | "WOML_SCHEMA_UNGUARDED" | "WOML_ADMIN_KEY_INVALID";

  constructor(code: ControlRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}
