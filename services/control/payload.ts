import { checkText, type Json, utf8Bytes } from "@woml/model";
import { type ApiCode, ApiError, CODES } from "./errors.ts";
import { printable } from "./printable.ts";

export const PAYLOAD_BYTES: number = 1024 * 1024;
export const LABELS_MAX = 16;
const LABEL = printable(128);
const KEY = printable(512);

/** An object that can be stored and handed to scripts unchanged; `{}` when absent. `path` in a refusal is a JSON pointer into it. */
export function acceptPayload(payload: unknown): Json {
  if (payload === undefined) return {};
  const fault = payloadFault(payload);
  if (fault === null) return payload as Json;
  const { code, message, details } = fault;
  throw new ApiError(code, "limit" in details ? message : placed(details.path, message), details);
}

/** A path is said whole in one place alone, however many members lie within one another. */
const PLACE_CHARS = 128;
function placed(path: string, message: string): string {
  const place = path.length > PLACE_CHARS ? `${path.slice(0, PLACE_CHARS).toWellFormed()}…` : path;
  return place === "" ? message : `the payload at ${place}: ${message}`;
}

interface PayloadFault {
  readonly code: ApiCode;
  /** Without its place. */
  readonly message: string;
  readonly details: { readonly path: string; readonly limit?: number; readonly actual?: number };
}
export function payloadFault(payload: unknown): PayloadFault | null {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    return { code: "WOML_PAYLOAD_INVALID", message: "a payload has to be a JSON object", details: { path: "" } };
  const fault = checkText(payload);
  if (fault !== null) return { code: codeOf(fault.code), message: fault.message, details: { path: fault.path } };
  const actual = jsonBytes(payload);
  if (actual <= PAYLOAD_BYTES) return null;
  const message = `the payload has ${actual} bytes as JSON; at most ${PAYLOAD_BYTES} are taken`;
  return { code: "WOML_PAYLOAD_TOO_LARGE", message, details: { limit: PAYLOAD_BYTES, actual, path: heaviest(payload) } };
}

export function acceptLabels(labels: readonly string[] | null | undefined): readonly string[] {
  const given = labels ?? [];
  if (given.length > LABELS_MAX) {
    const message = `${given.length} labels; at most ${LABELS_MAX} are taken`;
    throw new ApiError("WOML_LABELS_INVALID", message, { limit: LABELS_MAX, actual: given.length });
  }
  return given.map((label, at) => acceptLabel(label, `/labels/${at}`));
}

export function acceptLabel(label: string, path: string): string {
  if (LABEL.test(label)) return label;
  throw new ApiError("WOML_LABELS_INVALID", "a label has to be 1 to 128 printable characters", { path });
}

export function acceptKey(key: string | null | undefined): string | null {
  if (key === null || key === undefined) return null;
  if (KEY.test(key)) return key;
  throw new ApiError("WOML_IDEMPOTENCY_KEY_INVALID", "an idempotency key has to be 1 to 512 printable characters");
}

/** Where more members lie side by side than this, none is looked for: to weigh each would take seconds. */
const WEIGHED = 1_000;

/** Leads to what makes it large: while one member alone is over half the limit, it goes on in there. */
function heaviest(payload: object): string {
  let path = "";
  let at: object = payload;
  for (let depth = 0; depth < 8; depth++) {
    if ((Array.isArray(at) ? at : Object.keys(at)).length > WEIGHED) break;
    const found = Object.entries(at).find(([, member]) => jsonBytes(member) > PAYLOAD_BYTES / 2);
    if (!found) break;
    path += `/${found[0].replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (typeof found[1] !== "object" || found[1] === null) break;
    at = found[1];
  }
  return path;
}

function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

function codeOf(code: string): ApiCode {
  return Object.hasOwn(CODES, code) ? (code as ApiCode) : "WOML_PAYLOAD_INVALID";
}
