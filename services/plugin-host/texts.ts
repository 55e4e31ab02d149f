import { BOUNDS } from "./bounds.ts";
import type { Redactor } from "./broker/redact.ts";

/** What can be stored and shown: no secret, no NUL, no half of a surrogate pair, of bounded length. */
export function message(redactor: Redactor, text: string, most: number = BOUNDS.messageChars): string {
  return redactor.text(text).slice(0, most).toWellFormed().replaceAll("\0", "\uFFFD");
}

export function redactedJson(redactor: Redactor, value: unknown): string {
  return JSON.stringify(redactor.json(value));
}

/** How deep a JSON text nests. Whoever walks the value walks by recursion, and the stack is not endless. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === "\\") index += 1;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}
