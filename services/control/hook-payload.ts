// What was verified is read: JSON of the kind that scripts are given, and as the trigger's schema says.
import { type Json, payloadIssues } from "@woml/model";
import { parseBody, readText } from "./body.ts";
import { ApiError } from "./errors.ts";
import { tooLarge } from "./hook-body.ts";
import { payloadFault } from "./payload.ts";

interface Issue {
  /** A JSON pointer into the payload. */
  readonly path: string;
  readonly message: string;
}

/** Throws with WOML_TRIGGER_PAYLOAD_INVALID or _TOO_LARGE. */
export function readPayload(bytes: Buffer): Json {
  const payload = parsed(bytes);
  const fault = payloadFault(payload);
  if (fault === null) return payload as Json;
  const { code, message, details } = fault;
  if (code === "WOML_PAYLOAD_TOO_LARGE") throw tooLarge();
  const issues: readonly Issue[] = [{ path: details.path, message }];
  throw new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", message, { issues });
}

/** The platform's own words for what is no JSON, under the codes of doors. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseBody(readText(bytes));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw error.code === "WOML_BODY_TOO_LARGE" ? tooLarge() : new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", error.message);
  }
}

/** false: it takes more steps than that to say. Throws with WOML_TRIGGER_SCHEMA_INVALID: at most 100 issues, sorted by path. */
export function acceptBySchema(payload: Json, schema: Json | undefined, steps?: number): boolean {
  const issues = schema === undefined ? [] : payloadIssues(schema, payload, steps);
  if (issues.length === 0) return true;
  if (steps !== undefined && issues.some(({ code }) => code === "WOML_PAYLOAD_TOO_COMPLEX")) return false;
  const shown: readonly Issue[] = issues.map(({ path, message }) => ({ path, message }));
  throw new ApiError("WOML_TRIGGER_SCHEMA_INVALID", "the payload is not as the trigger's schema says", { issues: shown });
}
