import type { Manifest } from "@woml/capability";
import { Refusal } from "./answer.ts";
import type { Filling } from "./fill.ts";
import { type Asked, BODY_BYTES } from "./request.ts";

/** What goes over the wire. */
export interface Wire {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Names of headers that another origin must not see. */
  readonly secretHeaders: ReadonlySet<string>;
  readonly body: Buffer | null;
}
export interface Composing {
  readonly asked: Asked;
  readonly url: URL;
  readonly permissions: Manifest["permissions"];
  readonly idempotency: { readonly header: string; readonly value: string } | null;
}
const HEAD_BYTES = 32_768;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What frames a message, names its receiver or speaks to the next hop: the broker's own. */
const FORBIDDEN =
  /^(host|connection|keep-alive|transfer-encoding|content-length|te|trailers?|upgrade|expect|http2-settings|max-forwards|via|forwarded|x-forwarded-.*|proxy-.*)$/;
const CREDENTIALS: readonly string[] = ["authorization", "cookie"];

/** Puts a request together; with a filling of nothing it only judges it. */
export function compose({ asked, url, permissions, idempotency }: Composing, filling: Filling): Wire {
  if (filling.bears(url.host)) throw new Refusal("WOML_EGRESS_SECRET_MISPLACED", "A secret may not stand in a URL's host.");
  const headers = new Map<string, string>();
  const secretHeaders = new Set(CREDENTIALS);
  for (const [name, value] of asked.headers) {
    const key = headerName(name);
    const secret = typeof value !== "string" || filling.bears(value);
    if (secret) secretHeaders.add(key);
    if (typeof value !== "string") mayUse(value.secret, permissions);
    const text = typeof value === "string" ? filling.fill(value, "plain") : formatted(value, filling);
    headers.set(key, headerValue(key, text));
  }
  if (idempotency !== null) {
    const key = headerName(idempotency.header);
    headers.set(key, headerValue(key, filling.fill(idempotency.value, "plain")));
    if (filling.bears(idempotency.value)) secretHeaders.add(key);
  }
  headers.set("accept-encoding", "identity");
  if (!headers.has("user-agent")) headers.set("user-agent", "woml");
  if (!headers.has("content-type") && asked.body?.kind === "json") headers.set("content-type", "application/json");
  if (!headers.has("content-type") && asked.body?.kind === "text") headers.set("content-type", "text/plain;charset=UTF-8");
  const path = filling.fill(url.pathname + url.search, "url");
  return bounded({ method: asked.method, path, headers, secretHeaders, body: bodyOf(asked, headers, filling) });
}

function formatted({ secret, format }: { readonly secret: string; readonly format: string }, filling: Filling): string {
  const value = filling.value(secret);
  return format
    .split("{}")
    .map((piece) => filling.fill(piece, "plain"))
    .join(value);
}

function mayUse(secret: string, permissions: Manifest["permissions"]): void {
  if ((permissions.secrets ?? []).some(({ name }) => name === secret)) return;
  throw new Refusal("WOML_EGRESS_SECRET_UNDECLARED", "The manifest does not name the secret that the request names.");
}

function headerName(name: string): string {
  const key = name.toLowerCase();
  if (!TOKEN.test(key)) throw new Refusal("WOML_EGRESS_HEADER_INVALID", "A header's name holds a character that may not stand there.");
  if (FORBIDDEN.test(key)) throw new Refusal("WOML_EGRESS_HEADER_FORBIDDEN", `The header ${key} is not a plugin's to set.`);
  return key;
}

function headerValue(name: string, value: string): string {
  const text = value.replace(/^[\t ]+|[\t ]+$/g, "");
  if (VALUE.test(text)) return text;
  throw new Refusal("WOML_EGRESS_HEADER_INVALID", `The value of ${name} holds a character that may not stand in a header.`);
}

/** In bytes nothing is filled in: a value there could not be told from what stands around it. */
function bodyOf(asked: Asked, headers: ReadonlyMap<string, string>, filling: Filling): Buffer | null {
  if (asked.body === null) return null;
  if (asked.body.kind === "bytes") return asked.body.bytes;
  const type = headers.get("content-type") ?? "";
  const form = /^application\/x-www-form-urlencoded\b/i.test(type);
  const json = asked.body.kind === "json" || /^[a-z]+\/(?:[\w.-]+\+)?json\b/i.test(type);
  return Buffer.from(filling.fill(asked.body.text, json ? "json" : form ? "url" : "plain"));
}

/** The same request to where a redirect points. Nothing is filled in there: the place was chosen by a server. */
export function redirected(wire: Wire, from: URL, to: URL): Wire {
  const kept = [...wire.headers].filter(([name]) => from.origin === to.origin || !wire.secretHeaders.has(name));
  return bounded({ ...wire, path: to.pathname + to.search, headers: new Map(kept) });
}

function bounded(wire: Wire): Wire {
  let bytes = wire.path.length;
  for (const [name, value] of wire.headers) bytes += name.length + value.length + 4;
  const tooLarge = (what: string): Refusal => new Refusal("WOML_EGRESS_REQUEST_TOO_LARGE", `The request's ${what}.`);
  if (bytes > HEAD_BYTES) throw tooLarge(`URL and headers are larger than ${HEAD_BYTES} bytes`);
  if ((wire.body?.length ?? 0) > BODY_BYTES) throw tooLarge(`body is larger than ${BODY_BYTES} bytes`);
  return wire;
}
