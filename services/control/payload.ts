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
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    throw new ApiError("WOML_PAYLOAD_INVALID", "a payload has to be a JSON object", { path: "" });
  }
  const fault = checkText(payload);
  if (fault !== null) throw new ApiError(codeOf(fault.code), `the payload at ${fault.path}: ${fault.message}`, { path: fault.path });
  const actual = jsonBytes(payload);
  if (actual > PAYLOAD_BYTES) {
    const path = heaviest(payload);
    const message = `the payload has ${actual} bytes as JSON; at most ${PAYLOAD_BYTES} are taken`;
    throw new ApiError("WOML_PAYLOAD_TOO_LARGE", message, { limit: PAYLOAD_BYTES, actual, path });
  }
  return payload as Json;
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
