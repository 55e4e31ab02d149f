import { isUtf8 } from "node:buffer";
import { ApiError } from "./errors.ts";
import { QUERY_BYTES } from "./limits.ts";

/** A GraphQL request as it came over HTTP. */
export interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** Bytes that are not UTF-8 would be stored as something else than was sent. */
export function readText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid("the body is not UTF-8 text");
  return bytes.toString();
}

/**
 * What the parts of a body may cost together: 1 for each list, object and comma, 3 for each member of an object. To parse what is past this
 * takes the process for half a second and more; a payload of 1 MiB stays below it, whatever it holds.
 */
export const BODY_PARTS = 800_000;

export function parseBody(text: string): unknown {
  const actual = text.length > BODY_PARTS / 3 ? partsOf(text) : 0;
  if (actual > BODY_PARTS) {
    throw new ApiError("WOML_BODY_TOO_LARGE", "the body holds too many values", { limit: BODY_PARTS, actual });
  }
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

const PARTS: ReadonlyMap<number, number> = new Map([...":,[{"].map((char) => [char.charCodeAt(0), char === ":" ? 3 : 1]));
const [QUOTE, BACKSLASH] = ['"', "\\"].map((char) => char.charCodeAt(0));

/** Of what is not JSON some number: JSON.parse says so. */
function partsOf(text: string): number {
  let parts = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) isText = !isText;
    else if (!isText) parts += PARTS.get(char) ?? 0;
    else if (char === BACKSLASH) at += 1;
  }
  return parts;
}
