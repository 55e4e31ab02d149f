/** Takes the known values of secrets out of texts, and out of every text and member name of a JSON value. */
export interface Redactor {
  text(text: string): string;
  json<T>(value: T): T;
}

/** Shorter values are not looked for: they would be found everywhere, and what is left around them would tell them. */
const SHORTEST = 4;

/**
 * Looks for each value as it is, as JSON escapes it, in base64 (at any of the three places it can stand in a longer text, standard and
 * URL-safe), in hex and URL-encoded, and puts `[secret NAME]` there. The longest form is taken first, so that a value that is part of
 * another hides nothing of it.
 */
export function redactor(secrets: Readonly<Record<string, string>>): Redactor {
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(secrets)) {
    if (value.length < SHORTEST) continue;
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  }
  if (names.size === 0) return { text: (text) => text, json: (value) => value };
  const forms = [...names.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  const text = (whole: string): string => whole.replace(pattern, (form) => `[secret ${names.get(form) ?? ""}]`);
  const json = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]));
  };
  return { text, json: <T>(value: T): T => json(value) as T };
}

function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const whole = [bytes.toString("base64"), bytes.toString("base64url")];
  const url = encodeURIComponent(value.toWellFormed());
  const plus = new URLSearchParams({ v: value }).toString().slice(2);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
    url,
    lowerEscapes(url),
    plus,
    lowerEscapes(plus),
    ...whole,
  ];
  for (const shift of [0, 1, 2]) forms.push(...aligned(bytes, shift));
  return new Set(forms.filter((form) => form.length >= SHORTEST));
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
