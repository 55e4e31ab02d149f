import { Refusal } from "./answer.ts";

type HeaderValue = string | { readonly secret: string; readonly format: string };
/** A plugin's request, parsed: nothing in it is judged yet but its shape and its bounds. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[];
  readonly body: { readonly kind: "json" | "text"; readonly text: string } | { readonly kind: "bytes"; readonly bytes: Buffer } | null;
  readonly redirect: "follow" | "error" | "manual";
  readonly maxRedirects: number;
  readonly maxResponseBytes: number;
  readonly timeoutMs: number | null;
}
export const BODY_BYTES = 1_048_576;
const MAX_REDIRECTS = 10;
const DEFAULT_REDIRECTS = 5;
const FIELDS: ReadonlySet<string> = new Set([
  ...["method", "url", "headers", "json", "text", "bytesBase64"],
  ...["timeoutMs", "redirect", "maxRedirects", "maxResponseBytes"],
]);

type Fields = Readonly<Record<string, unknown>>;

export function parseRequest(value: unknown): Asked {
  if (!isRecord(value)) throw invalid("is not an object");
  const unknown = Object.keys(value).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw invalid("has a field that is not known");
  if (typeof value["url"] !== "string") throw invalid("names no url");
  const method = methodOf(value["method"]);
  const body = bodyOf(value);
  if (body !== null && (method === "GET" || method === "HEAD")) throw invalid(`${method} takes no body`);
  return {
    method,
    url: value["url"],
    headers: headersOf(value["headers"]),
    body,
    redirect: redirectOf(value["redirect"]),
    maxRedirects: numberOf(value, "maxRedirects", { least: 0, most: MAX_REDIRECTS }) ?? DEFAULT_REDIRECTS,
    maxResponseBytes: numberOf(value, "maxResponseBytes", { least: 0, most: BODY_BYTES }) ?? BODY_BYTES,
    timeoutMs: numberOf(value, "timeoutMs", { least: 1, most: Number.MAX_SAFE_INTEGER }),
  };
}

function methodOf(value: unknown): string {
  if (value === undefined) return "GET";
  if (typeof value === "string" && /^[A-Za-z]{3,16}$/.test(value)) return value.toUpperCase();
  throw invalid("names no method");
}

function redirectOf(value: unknown): Asked["redirect"] {
  if (value === undefined) return "follow";
  if (value === "follow" || value === "error" || value === "manual") return value;
  throw invalid("redirect must be follow, error or manual");
}

function headersOf(value: unknown): Asked["headers"] {
  if (value === undefined) return [];
  if (!isRecord(value)) throw invalid("headers must be an object");
  return Object.entries(value).map(([name, header]) => [name, headerValueOf(header)]);
}

function headerValueOf(value: unknown): HeaderValue {
  if (typeof value === "string") return value;
  if (!isRecord(value) || Object.keys(value).some((name) => name !== "secret" && name !== "format"))
    throw invalid("has a header of no shape");
  const { secret, format = "{}" } = value;
  if (typeof secret !== "string" || typeof format !== "string") throw invalid("has a header of no shape");
  if (!format.includes("{}")) throw invalid("a secret's format must hold {}");
  return { secret, format };
}

function bodyOf(value: Fields): Asked["body"] {
  const given = ["json", "text", "bytesBase64"].filter((name) => value[name] !== undefined);
  if (given.length > 1) throw invalid("has more than one body");
  if (value["json"] !== undefined) return { kind: "json", text: JSON.stringify(value["json"]) };
  if (value["text"] !== undefined) {
    if (typeof value["text"] !== "string") throw invalid("text must be a text");
    return { kind: "text", text: value["text"] };
  }
  const base64 = value["bytesBase64"];
  if (base64 === undefined) return null;
  const bytes = typeof base64 === "string" ? Buffer.from(base64, "base64") : null;
  if (bytes === null || bytes.toString("base64") !== base64) throw invalid("bytesBase64 must be base64");
  return { kind: "bytes", bytes };
}

function numberOf(value: Fields, name: string, bounds: { readonly least: number; readonly most: number }): number | null {
  const found = value[name];
  if (found === undefined) return null;
  if (typeof found !== "number" || !Number.isSafeInteger(found) || found < bounds.least || found > bounds.most) {
    throw invalid(`${name} must be a whole number from ${bounds.least} to ${bounds.most}`);
  }
  return found;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(why: string): Refusal {
  return new Refusal("WOML_EGRESS_REQUEST_INVALID", `The request cannot be sent: ${why}.`);
}
