import type { Log } from "@woml/boot";
import { LimitReached, quotaWord } from "@woml/prisma";
import { GraphQLError } from "graphql";
import { type ApiCode, ApiError, CODES } from "./errors.ts";

/** An error as the caller reads it. */
export interface Shown {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: ApiCode; readonly requestId: string; readonly [more: string]: unknown };
}

const MASKED = "something went wrong on the platform's side; its log names this request";

/**
 * Refusals are shown with their code, a query that GraphQL itself refuses as WOML_QUERY_INVALID; everything else is a fault of ours:
 * logged without its message, which may quote what was stored or sent, and masked.
 */
export function present(error: unknown, requestId: string, log: Log): Shown {
  return show(error, refusalOf(error), { requestId, log });
}

/** The same for an error that keeps a query from being executed at all: it is the caller's, whatever GraphQL calls it. */
export function presentInvalid(error: unknown, requestId: string, log: Log): Shown {
  const invalid = error instanceof GraphQLError ? { code: "WOML_QUERY_INVALID" as const, message: error.message, details: {} } : null;
  return show(error, refusalOf(error) ?? invalid, { requestId, log });
}

function overloaded(message: string): ApiError {
  return new ApiError("WOML_OVERLOADED", message, { retryAfterMs: 1_000 });
}

function show(error: unknown, found: Refused | null, { requestId, log }: { readonly requestId: string; readonly log: Log }): Shown {
  const place = error instanceof GraphQLError ? placeOf(error) : {};
  if (found !== null)
    return {
      message: cut(found.code === "WOML_QUERY_INVALID" ? withoutValues(found.message) : found.message),
      ...place,
      extensions: { ...shortened(found.details), code: found.code, requestId },
    };
  log.error({ requestId, fault: faultOf(error) }, "a request failed");
  return { message: MASKED, ...place, extensions: { code: "WOML_INTERNAL", requestId } };
}

/**
 * GraphQL quotes the value that it cannot take, and it may be that of a secret; such messages are kept by clients and their logs. Where it stood
 * is told.
 */
function withoutValues(message: string): string {
  return message
    .replace(/^(Syntax Error: .*? (?:String|BlockString|Int|Float)) "[\s\S]*$/, "$1.")
    .replace(/( cannot represent [^:"]{0,64}?)(?: value)?: [\s\S]*$/, "$1 value.")
    .replace(/^(Expected value of type "[^"]*"), found [\s\S]*$/, "$1.")
    .replace(/^(Variable "\$\w+") got invalid value [\s\S]*?( at "[\w.[\]]+")?; ([^;]*)$/, "$1 got an invalid value$2: $3")
    .replace(/ got invalid value [\s\S]*$/, " got an invalid value.");
}

/** A message may quote what was sent. */
const MESSAGE_CHARS = 2_048;

function cut(text: string): string {
  return text.length > MESSAGE_CHARS ? `${text.slice(0, MESSAGE_CHARS).toWellFormed()}…` : text;
}

function shortened(details: Refused["details"]): Refused["details"] {
  return Object.fromEntries(Object.entries(details).map(([name, detail]) => [name, typeof detail === "string" ? cut(detail) : detail]));
}

interface Refused {
  readonly code: ApiCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * What the database is at fault for, and a caller may ask again: for want of a session nothing was done, as with any other crowd; where it went
 * away in the middle nobody knows.
 */
function ofDatabase(error: unknown): ApiError | null {
  if (error instanceof LimitReached) return limited(error);
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "WOML_DATABASE_UNAVAILABLE")
    return overloaded("the database gives no session just now; nothing was done: ask again in a moment");
  if (code !== "WOML_DATABASE_INTERRUPTED") return null;
  const message =
    "the database went away in the middle; whether it was done is not known: ask again, a start with the same idempotency key";
  return new ApiError("WOML_DATABASE_INTERRUPTED", message, { retryAfterMs: 1_000 });
}

/** Names the limit, and when it moves. */
function limited({ message, reached: { quota, limit, resetsAt, used } }: LimitReached): ApiError {
  const nothing = `${message}; nothing was done`;
  if (quota === null) return new ApiError("WOML_POLICY_QUEUE_FULL", nothing, { limit, retryAfterMs: 1_000 });
  const details = {
    quota: quotaWord(quota),
    limit,
    ...(used === undefined ? {} : { used }),
    ...(resetsAt === null ? {} : { resetsAt: new Date(resetsAt).toISOString() }),
  };
  const retryAfterMs = quota === "deliveries_per_minute" || quota === "stored_bytes" ? 60_000 : 1_000;
  return new ApiError("WOML_QUOTA_EXCEEDED", nothing, { ...details, retryAfterMs });
}

function refusalOf(error: unknown): Refused | null {
  if (error instanceof ApiError) return error;
  if (!(error instanceof GraphQLError)) return ofDatabase(error);
  const { code, ...details } = error.extensions;
  if (isCode(code)) return { code, message: error.message, details };
  if (isLimitOfTokens(error)) return { code: "WOML_QUERY_TOO_LARGE", message: error.message, details };
  const inner = error.originalError;
  const known = inner instanceof ApiError ? inner : ofDatabase(inner);
  if (known !== null) return known;
  // Without an original error, or located by GraphQL itself at an argument: the caller's query.
  const isQuerys = inner === undefined || (inner instanceof GraphQLError && inner.nodes !== undefined);
  return isQuerys ? { code: "WOML_QUERY_INVALID", message: error.message, details } : null;
}

function isCode(code: unknown): code is ApiCode {
  return typeof code === "string" && Object.hasOwn(CODES, code);
}

function isLimitOfTokens(error: GraphQLError): boolean {
  return error.message.startsWith("Syntax Error: Document contains more tha");
}

function placeOf({ locations, path }: GraphQLError): Pick<Shown, "locations" | "path"> {
  return { ...(locations && { locations }), ...(path && { path }) };
}

/** Name, code and frames. A message can hold a payload, so it is cut off. */
function faultOf(error: unknown): object {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (!(cause instanceof Error)) return { name: typeof cause };
  const frames = cause.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { name: cause.name, code: "code" in cause ? String(cause.code) : undefined, frames };
}
