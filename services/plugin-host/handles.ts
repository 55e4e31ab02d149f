import { randomBytes } from "node:crypto";
import { type Json, type Part, plainForm } from "@woml/capability";

/** An input as the plugin sees it. */
export interface Opened {
  readonly value: Json;
  /** What stands in it for each secret. Nobody can guess one, and it means nothing outside this call. */
  readonly placeholders: ReadonlyMap<string, Part>;
}

/** Throws where the text is no stored input. */
export function openInput(stored: string): Opened {
  const placeholders = new Map<string, Part>();
  const seed = randomBytes(16).toString("hex");
  const mint = (part: Part): string => {
    if (typeof part === "string") return part;
    const text = `woml_secret_${seed}_${placeholders.size + 1}_`;
    placeholders.set(text, part);
    return text;
  };
  const value = plainForm(JSON.parse(stored), (parts) => parts.map(mint).join(""));
  return { value, placeholders };
}

/** How placeholders are named where they must not stand: in what leaves the host. */
export function named(placeholders: ReadonlyMap<string, Part>): Readonly<Record<string, string>> {
  return Object.fromEntries([...placeholders.keys()].map((text, index) => [`handle ${index + 1}`, text]));
}
