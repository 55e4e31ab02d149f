import { ApiError } from "./errors.ts";
import { QUERY_BYTES } from "./limits.ts";

/** A GraphQL request as it came over HTTP. */
export interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("the body is not JSON");
  }
}

export function readAsked(body: unknown): Asked {
  if (Array.isArray(body)) throw new ApiError("WOML_BATCH_NOT_ALLOWED", "one query a request: a list of them is not taken");
  if (!isRecord(body)) throw invalid("the body has to be an object with `query`");
  const { query, variables = null, operationName = null } = body;
  if (typeof query !== "string" || query === "") throw invalid("`query` has to be a text");
  if (variables !== null && !isRecord(variables)) throw invalid("`variables` has to be an object");
  if (operationName !== null && typeof operationName !== "string") throw invalid("`operationName` has to be a text");
  const actual = Buffer.byteLength(query);
  if (actual > QUERY_BYTES) {
    const message = `the query's text has ${actual} bytes; at most ${QUERY_BYTES} are taken: put large values in variables`;
    throw new ApiError("WOML_QUERY_TOO_LARGE", message, { limit: QUERY_BYTES, actual });
  }
  return { query, variables: variables ?? {}, operationName: operationName ?? undefined };
}

function invalid(message: string): ApiError {
  return new ApiError("WOML_BODY_INVALID", message);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
