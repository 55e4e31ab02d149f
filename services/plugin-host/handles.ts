import { randomBytes } from "node:crypto";
import { type Json, type Part, plainForm } from "@woml/capability";

const BEGIN = "woml_secret_";
const SEED_BYTES = 16;
const MARK_CHARS = BEGIN.length + 2 * SEED_BYTES;

/** An input as the plugin sees it. */
export interface Opened {
  readonly value: Json;
  /** What stands in it for each secret. Nobody can guess one, and it means nothing outside this call. */
  readonly placeholders: ReadonlyMap<string, Part>;
}

/** Throws where the text is no stored input. */
export function openInput(stored: string): Opened {
  const placeholders = new Map<string, Part>();
  const seed = randomBytes(SEED_BYTES).toString("hex");
  const mint = (part: Part): string => {
    if (typeof part === "string") return part;
    const text = `${BEGIN}${seed}_${placeholders.size + 1}_`;
    placeholders.set(text, part);
    return text;
  };
  const value = plainForm(JSON.parse(stored), (parts) => parts.map(mint).join(""));
  return { value, placeholders };
}

/** What all placeholders of an input begin with, named as it is where they must not stand: in what leaves the host. */
export function named(placeholders: ReadonlyMap<string, Part>): Readonly<Record<string, string>> {
  const [first] = placeholders.keys();
  return first === undefined ? {} : { "a handle": first.slice(0, MARK_CHARS) };
}
