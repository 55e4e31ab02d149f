// What was verified is read: JSON of the kind that scripts are given, and as the trigger's schema says.
import { type Json, payloadIssues } from "@woml/model";
import { parseBody, readText } from "./body.ts";
import { ApiError } from "./errors.ts";
import { tooLarge } from "./hook-body.ts";
import { acceptPayload } from "./payload.ts";

interface Issue {
  /** A JSON pointer into the payload. */
  readonly path: string;
  readonly message: string;
}

/** Throws with WOML_TRIGGER_PAYLOAD_INVALID or _TOO_LARGE. */
export function readPayload(bytes: Buffer): Json {
  try {
    return acceptPayload(parseBody(readText(bytes)));
  } catch (error) {
    throw error instanceof ApiError ? refusalOf(error) : error;
  }
}

/** Throws with WOML_TRIGGER_SCHEMA_INVALID: at most 100 issues, sorted by path. */
export function acceptBySchema(payload: Json, schema: Json | undefined): void {
  const issues = schema === undefined ? [] : payloadIssues(schema, payload);
  if (issues.length === 0) return;
  const shown: readonly Issue[] = issues.map(({ path, message }) => ({ path, message }));
  throw new ApiError("WOML_TRIGGER_SCHEMA_INVALID", "the payload is not as the trigger's schema says", { issues: shown });
}

/** The platform's own words for it, under the codes of doors. */
function refusalOf({ code, message, details }: ApiError): ApiError {
  if (code === "WOML_PAYLOAD_TOO_LARGE" || code === "WOML_BODY_TOO_LARGE") return tooLarge();
  const { path } = details;
  const issues: readonly Issue[] = typeof path === "string" ? [{ path, message }] : [];
  return new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", message, issues.length === 0 ? {} : { issues });
}
