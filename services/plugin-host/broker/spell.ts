/** Shorter texts are not looked for: they would be found everywhere, and what is left around them would tell them. */
export const SHORTEST = 4;

/**
 * How a value may look where it comes back: as it is, as JSON, HTML and URLs escape it, in base64 (at any of the three places it can stand in
 * a longer text, standard and URL-safe) and in hex; all of that also as it looks where UTF-8 was read as Latin-1, or the other way round, as
 * headers are. `nests`: one within another too. Without backslashes: so JSON within JSON is found however deep it lies.
 */
export function formsOf(value: string, nests: boolean): ReadonlySet<string> {
  const once = spellings(value);
  const forms = nests ? new Set([...once, ...[...once].flatMap((form) => [...spellings(form)])]) : once;
  return new Set([...forms].map(withoutSlashes).filter((form) => form.length >= SHORTEST));
}

export function withoutSlashes(text: string): string {
  return text.includes("\\") ? text.replaceAll("\\", "") : text;
}

function spellings(text: string): Set<string> {
  const readings = new Set(bytesOf(text).flatMap((bytes) => [bytes.toString("utf8"), bytes.toString("latin1")]));
  return new Set([...[...readings].flatMap(escaped), ...bytesOf(text).flatMap(encoded)]);
}

/** What a header carries is Latin-1, a body mostly UTF-8; who echoes one in the other need not say so. */
function bytesOf(value: string): readonly Buffer[] {
  const isLatin = /^[\0-\xff]*$/.test(value) && /[\x80-\xff]/.test(value);
  return isLatin ? [Buffer.from(value), Buffer.from(value, "latin1")] : [Buffer.from(value)];
}

function escaped(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const url = encodeURIComponent(text.toWellFormed());
  const strict = url.replace(/[!'()*~]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
  const plus = new URLSearchParams({ v: text }).toString().slice(2);
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    ...[text, json, ascii, ascii.replace(/u[0-9a-f]{4}/g, (unit) => `u${unit.slice(1).toUpperCase()}`), html],
    ...[url, strict, plus].flatMap((form) => [form, lowerEscapes(form)]),
    ...["&quot;", "&#34;"].map((quote) => html.replaceAll('"', quote).replaceAll("'", "&#39;")),
  ];
}

function encoded(bytes: Buffer): readonly string[] {
  const hex = bytes.toString("hex");
  const parts = [0, 1, 2].flatMap((shift) => aligned(bytes, shift));
  return [hex, hex.toUpperCase(), bytes.toString("base64"), bytes.toString("base64url"), ...parts];
}

/** The characters of a base64 text that come from these bytes alone, when `shift` bytes of a group of three stand before them. */
function aligned(bytes: Buffer, shift: number): string[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
  const from = Math.ceil((shift * 8) / 6);
  const to = Math.floor(((shift + bytes.length) * 8) / 6);
  const inner = text.slice(from, to);
  return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
}

function lowerEscapes(url: string): string {
  return url.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}
