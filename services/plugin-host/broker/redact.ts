/** Takes the known values of secrets out of texts, and out of every text and member name of a JSON value. */
export interface Redactor {
  text(text: string): string;
  json<T>(value: T): T;
}

/** Shorter values are not looked for: they would be found everywhere, and what is left around them would tell them. */
const SHORTEST = 4;

/** Characters of values, in all, whose spellings within spellings are looked for: there are many of them. */
const NESTED = 1_024;

/**
 * Looks for each value as it is, as JSON, HTML and URLs escape it, in base64 (at any of the three places it can stand in a longer text,
 * standard and URL-safe) and in hex, and one of these within another; all of that also as it looks where UTF-8 was read as Latin-1, or the
 * other way round, as headers are. Backslashes count for nothing, so that JSON within JSON is found however deep it lies. What any form
 * covers is replaced by `[secret NAME]`; where two overlap, the longer form gives the name.
 */
export function redactor(secrets: Readonly<Record<string, string>>): Redactor {
  const names = new Map<string, string>();
  let left = NESTED;
  for (const [name, value] of Object.entries(secrets)) {
    if (value.length < SHORTEST) continue;
    const nests = value.length <= left;
    if (nests) left -= value.length;
    for (const form of formsOf(value, nests)) if (!names.has(form)) names.set(form, name);
  }
  if (names.size === 0) return { text: (text) => text, json: (value) => value };
  const forms = [...names].sort(([one], [other]) => other.length - one.length);
  const text = (whole: string): string => hidden(whole, forms);
  const json = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]));
  };
  return { text, json: <T>(value: T): T => json(value) as T };
}

type Forms = readonly (readonly [form: string, name: string])[];

/** By search, not by an expression: a value may be longer than an expression can be, and whoever chose it would choose how it is run. */
function hidden(whole: string, forms: Forms): string {
  const bare = withoutSlashes(whole);
  const found = forms.filter(([form]) => bare.includes(form));
  return found.length === 0 ? whole : replaced(whole, covered(bare, found), found);
}

/** For each character of `bare` which form covers it, from 1; 0: none. */
function covered(bare: string, forms: Forms): Uint16Array {
  const cover = new Uint16Array(bare.length);
  for (const [index, [form]] of forms.entries()) {
    for (let at = bare.indexOf(form); at >= 0; at = bare.indexOf(form, at + form.length)) {
      for (let place = at; place < at + form.length; place++) cover[place] ||= index + 1;
    }
  }
  return cover;
}

/** A backslash goes with what follows it. */
function replaced(whole: string, cover: Uint16Array, forms: Forms): string {
  const pieces: string[] = [];
  let last: string | undefined;
  let at = 0;
  for (const unit of whole.split("")) {
    const name = forms[(cover[at] ?? 0) - 1]?.[1];
    if (name === undefined) pieces.push(unit);
    if (unit === "\\") continue;
    if (name !== undefined && name !== last) pieces.push(`[secret ${name}]`);
    last = name;
    at += 1;
  }
  return pieces.join("");
}

function withoutSlashes(text: string): string {
  return text.includes("\\") ? text.replaceAll("\\", "") : text;
}

function formsOf(value: string, nests: boolean): Set<string> {
  const once = spellings(value);
  const forms = nests ? new Set([...once, ...[...once].flatMap((form) => [...spellings(form)])]) : once;
  return new Set([...forms].map(withoutSlashes).filter((form) => form.length >= SHORTEST));
}

function spellings(text: string): Set<string> {
  return new Set([...readings(text).flatMap(escaped), ...bytesOf(text).flatMap(encoded)]);
}

/** What a header carries is Latin-1, a body mostly UTF-8; who echoes one in the other need not say so. */
function bytesOf(value: string): readonly Buffer[] {
  const isLatin = /^[\0-\xff]*$/.test(value);
  return isLatin ? [Buffer.from(value), Buffer.from(value, "latin1")] : [Buffer.from(value)];
}

function readings(value: string): readonly string[] {
  return bytesOf(value).flatMap((bytes) => [bytes.toString("utf8"), bytes.toString("latin1")]);
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
