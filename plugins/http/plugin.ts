/**
 * `services.http.request`. One file, importing nothing but the capability contract: as it stands, without its types, it is the artefact.
 *
 * 1. What is wrong with the input is told before a request is made.
 * 2. An answer to a call that may have had an effect is "no" only where HTTP says so: 400 to 499. Every other status that was not accepted,
 *    and a body that cannot be read after one that was, leaves the call ambiguous: the effect may be there.
 * 3. A call that only reads fails as what it is; some statuses may be cured by a later attempt.
 */
import { type Call, definePlugin, failure, type HttpRequest, type HttpResponse, type Json, operation, Type } from "@woml/capability";

const closed = { additionalProperties: false };
const READS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
const BODIES = ["json", "text", "bytesBase64"] as const;
/** Try later. */
const TEMPORARY: readonly number[] = [429, 502, 503, 504];
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 300_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** What leaves room for the rest of a result of 1 MiB. */
const MAX_BODY_BYTES = { json: 1_000_000, text: 1_000_000, bytes: 750_000, storage: 0 };

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Status = Type.Integer({ minimum: 100, maximum: 599 });
const Input = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 8_192 }),
    method: Type.Optional(Type.Enum(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])),
    headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 16_384 }), { maxProperties: 128 })),
    query: Type.Optional(Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar, { maxItems: 256 })]), { maxProperties: 256 })),
    json: Type.Optional(Type.Unknown()),
    text: Type.Optional(Type.String()),
    bytesBase64: Type.Optional(Type.String()),
    responseType: Type.Optional(Type.Enum(["json", "text", "bytes", "storage"])),
    timeout: Type.Optional(Type.String({ maxLength: 32 })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS })),
    acceptedStatus: Type.Optional(Type.Object({ minimum: Type.Optional(Status), maximum: Type.Optional(Status) }, closed)),
    redirect: Type.Optional(Type.Enum(["follow", "error", "manual"])),
    maximumRedirects: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    storage: Type.Optional(Type.Unknown()),
    idempotency: Type.Optional(
      Type.Object(
        {
          header: Type.String({ minLength: 1, maxLength: 128 }),
          value: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
        },
        closed,
      ),
    ),
  },
  closed,
);
type Input = Type.Static<typeof Input>;
const Output = Type.Object(
  {
    status: Status,
    ok: Type.Boolean(),
    headers: Type.Record(Type.String(), Type.String()),
    data: Type.Unknown(),
    url: Type.String(),
    redirected: Type.Boolean(),
  },
  closed,
);

const isRead = ({ method = "GET" }: Input): boolean => READS.includes(method);

async function request(input: Input, call: Call): Promise<Type.Static<typeof Output>> {
  const asked = requestOf(input);
  const response = await call.http.request(asked);
  const { minimum = 200, maximum = 299 } = input.acceptedStatus ?? {};
  if (response.status < minimum || response.status > maximum) throw rejected(response.status, isRead(input));
  return {
    status: response.status,
    ok: response.status >= 200 && response.status <= 299,
    headers: response.headers,
    data: dataOf(input, response),
    url: response.url,
    redirected: response.redirected,
  };
}

function rejected(status: number, read: boolean): Error {
  const message = `The answer's status ${status} is not accepted.`;
  const saysNo = read || (status >= 400 && status <= 499);
  return failure(TEMPORARY.includes(status) ? "HTTP_STATUS_TEMPORARY" : "HTTP_STATUS_REJECTED", message, { ambiguous: !saysNo });
}

function dataOf(input: Input, response: HttpResponse): Json {
  const { responseType = "json" } = input;
  if (responseType === "bytes") return response.bodyBase64;
  if (responseType === "text") return response.text();
  if (response.bodyBase64 === "") return null;
  try {
    return response.json();
  } catch {
    throw failure("HTTP_RESPONSE_JSON_INVALID", "The answer's body is not JSON.", { ambiguous: !isRead(input) });
  }
}

function requestOf(input: Input): HttpRequest {
  const { responseType = "json", headers, redirect, maximumRedirects } = input;
  refuse(input);
  return {
    url: withQuery(input.url, input.query ?? {}),
    method: input.method ?? "GET",
    ...(headers && { headers }),
    ...bodyOf(input),
    timeoutMs: timeoutMsOf(input),
    ...(redirect && { redirect }),
    ...(maximumRedirects !== undefined && { maxRedirects: maximumRedirects }),
    maxResponseBytes: MAX_BODY_BYTES[responseType],
  };
}

/** What the schema cannot say. */
function refuse(input: Input): void {
  const { acceptedStatus: { minimum = 200, maximum = 299 } = {}, idempotency, headers = {} } = input;
  const bodies = BODIES.filter((kind) => input[kind] !== undefined);
  if (input.responseType === "storage" || input.storage !== undefined) {
    throw failure("HTTP_STORAGE_UNAVAILABLE", "This platform has no storage yet to put an answer in: take it as json, text or bytes.");
  }
  if (bodies.length > 1) throw invalid(`a request has one body, not ${bodies.join(" and ")}`);
  if (bodies.length > 0 && isRead(input)) throw invalid(`a ${input.method ?? "GET"} has no body`);
  if (minimum > maximum) throw invalid(`acceptedStatus accepts nothing: ${minimum} to ${maximum}`);
  if (idempotency && Object.keys(headers).some((name) => name.toLowerCase() === idempotency.header.toLowerCase())) {
    throw failure("HTTP_IDEMPOTENCY_MISMATCH", "The header of the key is set by idempotency: leave it out of headers.");
  }
}

function bodyOf({ json, text, bytesBase64 }: Input): Pick<HttpRequest, (typeof BODIES)[number]> {
  if (json !== undefined) return { json };
  if (text !== undefined) return { text };
  return bytesBase64 === undefined ? {} : { bytesBase64 };
}

function timeoutMsOf({ timeout, timeoutMs }: Input): number {
  if (timeout === undefined) return timeoutMs ?? DEFAULT_TIMEOUT_MS;
  if (timeoutMs !== undefined) throw invalid("it has timeout and timeoutMs");
  const [, amount, unit = ""] = /^([1-9]\d*(?:\.\d+)?|0\.\d*[1-9]\d*)(ms|s|m|h|d)$/.exec(timeout) ?? [];
  const exact = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  const ms = Math.round(exact);
  // Binary fractions: 1.005 s is a little less than 1005 ms.
  if (Math.abs(exact - ms) < 1e-6 && ms >= 1 && ms <= MAX_TIMEOUT_MS) return ms;
  throw invalid(`timeout is a duration of 1ms to ${MAX_TIMEOUT_MS / 60_000}m, such as 500ms or 30s`);
}

/** By text: what the author wrote of the URL stays as it is, for the broker to judge. */
function withQuery(url: string, query: NonNullable<Input["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  );
  if (pairs.length === 0) return url;
  const [before = "", ...fragment] = url.split("#");
  const joint = before.includes("?") ? (/[?&]$/.test(before) ? "" : "&") : "?";
  return [before + joint + pairs.join("&"), ...fragment].join("#");
}

const invalid = (message: string): Error => failure("HTTP_INPUT_INVALID", `This request cannot be made: ${message}.`);

export default definePlugin({
  id: "http",
  version: "1.0.0",
  publisher: "woml",
  title: "HTTP requests",
  permissions: {
    network: [
      {
        host: "*",
        ports: [80, 443, 8080, 8443],
        methods: ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"],
        reason: "asks whatever public address a workflow names",
      },
    ],
  },
  operations: {
    request: operation({
      effect: {
        table: [
          { when: { pointer: "/method", present: false }, effect: "pure" },
          { when: { pointer: "/method", in: [...READS] }, effect: "pure" },
          { when: { pointer: "/idempotency", present: true }, effect: "keyed" },
        ],
        default: "unsafe",
      },
      idempotency: { header: { pointer: "/idempotency/header" }, value: { pointer: "/idempotency/value" }, windowHours: 24 },
      retryable: ["HTTP_STATUS_TEMPORARY"],
      timeoutMs: MAX_TIMEOUT_MS,
      input: Input,
      output: Output,
      perform: request,
    }),
  },
});
