/**
 * Secrets in inputs. A script holds handles: texts nobody can guess, under a tag of its attempt. `woml_secret.<tag>.n.<NAME>.` is a secret;
 * `woml_secret.<tag>.d.<hex>.` is derived, and the hex is the UTF-8 JSON of a Part. `tag` is 32 hex digits, `tagOf` the run's seed's.
 * Stored, a text with handles in it is `{"$secret": "NAME"}` (the handle alone) or `{"$secret": [Part, …]}`; a member that an author calls
 * `$secret`, `$$secret` … gets one more `$`. What is stored says which secret, never its value.
 *
 * H1  A text without a handle of this tag is stored as it is; what is malformed, or of another tag, is text.
 * H2  No value of an author is ever stored as, or read back as, a secret: `{"$secret": …}` in a stored value was a handle.
 * H3  The same text gives the same stored form, so equal inputs have equal digests in every attempt, whatever the tag.
 */
import type { Json } from "./plugin.ts";

export type Part =
  | string
  | { readonly secret: string }
  | { readonly base64: readonly Part[] }
  /** As encodeURIComponent. */
  | { readonly url: readonly Part[] };

type Members = { readonly [key: string]: Json };
const TAG = /^[0-9a-f]{32}$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const AUTHORS = /^\$+secret$/;
const ESCAPED = /^\$\$+secret$/;
/** How often a derived handle may be derived from one again. */
const MAX_DERIVED = 16;

/** The handle of a secret, as `secrets.NAME` holds it. */
export function handleOf(tag: string, name: string): string {
  if (!TAG.test(tag) || !NAME.test(name)) throw new TypeError("no such handle");
  return `woml_secret.${tag}.n.${name}.`;
}

/** An input as it is stored. `fault`: a handle in the name of a member, which no provider should see. */
export function storedForm(value: Json, tag: string): { readonly stored: Json } | { readonly fault: string } {
  if (!TAG.test(tag)) throw new TypeError("a tag is 32 hex digits");
  // Nearly every input: one search, no copy. H1.
  const text = JSON.stringify(value);
  if (!text.includes(`woml_secret.${tag}.`) && !text.includes("$secret")) return { stored: value };
  try {
    return { stored: store(value, tag, "") };
  } catch (error) {
    if (error instanceof HandleInName) return { fault: error.message };
    throw error;
  }
}

/** The names of the secrets in a stored input, each once, sorted. */
export function handlesIn(stored: Json): readonly string[] {
  const names = new Set<string>();
  plainForm(stored, (parts) => {
    collect(parts, names);
    return "";
  });
  return [...names].sort();
}

/**
 * The inverse of `storedForm`, with the text that `place` gives for each text with secrets in it. Throws TypeError for what
 * `storedForm` never gives.
 */
export function plainForm(stored: Json, place: (parts: readonly Part[]) => string): Json {
  if (Array.isArray(stored)) return stored.map((item) => plainForm(item, place));
  if (!isMembers(stored)) return stored;
  if (Object.hasOwn(stored, "$secret")) return place(partsOf(stored));
  // fromEntries defines members of any name, `__proto__` too.
  return Object.fromEntries(
    Object.entries(stored).map(([key, member]) => [ESCAPED.test(key) ? key.slice(1) : key, plainForm(member, place)]),
  );
}

class HandleInName extends Error {}

function store(value: Json, tag: string, path: string): Json {
  if (typeof value === "string") return storedText(value, tag);
  if (Array.isArray(value)) return value.map((item, index) => store(item, tag, `${path}/${index}`));
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (split(key, tag).some(isSecret)) throw new HandleInName(`a secret in the name of a member of ${path || "the input"}`);
      return [AUTHORS.test(key) ? `$${key}` : key, store(member, tag, `${path}/${key}`)];
    }),
  );
}

function storedText(text: string, tag: string): Json {
  const parts = split(text, tag);
  if (!parts.some(isSecret)) return text;
  const [only] = parts;
  return { $secret: parts.length === 1 && typeof only === "object" && "secret" in only ? only.secret : parts } as Json;
}

/** The literal texts and secrets of a text, in order; neighbouring literals are one (H3). */
function split(text: string, tag: string): readonly Part[] {
  const handle = new RegExp(`woml_secret\\.${tag}\\.(?:n\\.([A-Za-z_][A-Za-z0-9_]{0,127})|d\\.((?:[0-9a-f]{2})+))\\.`, "g");
  const parts: Part[] = [];
  let from = 0;
  for (const found of text.matchAll(handle)) {
    const part = found[1] === undefined ? derived(found[2] ?? "") : { secret: found[1] };
    if (part === null) continue;
    if (found.index > from) parts.push(text.slice(from, found.index));
    parts.push(part);
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Null for what the platform's own encoders never make. */
function derived(hex: string): Part | null {
  try {
    const part: unknown = JSON.parse(decodeURIComponent(hex.replaceAll(/../g, "%$&")));
    return typeof part === "object" && isPart(part, 0) ? part : null;
  } catch {
    return null;
  }
}

function isPart(value: unknown, depth: number): value is Part {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null || depth > MAX_DERIVED) return false;
  const [member, ...more] = Object.entries(value);
  if (!member || more.length > 0) return false;
  const [kind, inner]: [string, unknown] = member;
  if (kind === "secret") return typeof inner === "string" && NAME.test(inner);
  return (kind === "base64" || kind === "url") && Array.isArray(inner) && inner.every((part) => isPart(part, depth + 1));
}

function partsOf({ $secret: secret, ...more }: Members): readonly Part[] {
  if (Object.keys(more).length === 0) {
    if (typeof secret === "string" && NAME.test(secret)) return [{ secret }];
    if (Array.isArray(secret) && secret.every((part) => isPart(part, 0))) return secret;
  }
  throw new TypeError("this is no stored input: its $secret is none");
}

function collect(parts: readonly Part[], names: Set<string>): void {
  for (const part of parts) {
    if (typeof part === "string") continue;
    if ("secret" in part) names.add(part.secret);
    else collect("base64" in part ? part.base64 : part.url, names);
  }
}

const isSecret = (part: Part): boolean => typeof part !== "string";
const isMembers = (value: Json): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);
