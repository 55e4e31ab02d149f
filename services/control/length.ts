/** What is answered to one request, in characters, counted before it is written: aliases can repeat what was read once. */
export const ANSWER_CHARS: number = 32 * 1024 * 1024;

/** About how many characters a value has as JSON text. Counting ends when there are more than `most`. */
export function lengthOf(value: unknown, most: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  return Array.isArray(value) ? lengthOfList(value, most) : lengthOfObject(value as Readonly<Record<string, unknown>>, most);
}

function lengthOfList(members: readonly unknown[], most: number): number {
  let length = 2;
  for (let at = 0; at < members.length && length <= most; at++) length += 1 + lengthOf(members[at], most - length);
  return length;
}

function lengthOfObject(members: Readonly<Record<string, unknown>>, most: number): number {
  let length = 2;
  for (const key of Object.keys(members)) {
    if (length > most) break;
    length += key.length + 4 + lengthOf(members[key], most - length);
  }
  return length;
}
