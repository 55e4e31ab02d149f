import { AppendRefused } from "./error.ts";

/** JSON.stringify writes U+0000 and lone surrogates as these escapes; an even number of backslashes before one makes it plain text. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * The JSON text of a value, as it is stored. PostgreSQL's `json` would take the two kinds of character that its own operators then cannot
 * read, so that one tenant's event would break every query over `data->>…`: they are refused here.
 */
export function storable(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.includes("\\u") && UNSTORABLE.test(text)) throw new AppendRefused("A text holds U+0000 or half of a surrogate pair.");
  return text;
}
