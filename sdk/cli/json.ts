/** So deep a value is taken apart: a run, its list of steps, a step. */
const PARTED = 2;

/**
 * `JSON.stringify(value, null, 2)` in pieces: one text of a run with hundreds of megabytes of outputs would be longer than a string can be.
 */
export function* jsonPieces(value: unknown, indent = "", depth: number = PARTED): Generator<string> {
  const isList = Array.isArray(value);
  const parts = depth > 0 && typeof value === "object" && value !== null ? partsOf(value, isList) : [];
  if (parts.length === 0) return yield JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
  const inner = `${indent}  `;
  yield isList ? "[" : "{";
  for (const [at, [key, part]] of parts.entries()) {
    yield `${at === 0 ? "" : ","}\n${inner}${isList ? "" : `${JSON.stringify(key)}: `}`;
    yield* jsonPieces(part, inner, depth - 1);
  }
  yield `\n${indent}${isList ? "]" : "}"}`;
}

/** What JSON knows no word for is left out of an object and is null in a list. */
function partsOf(value: object, isList: boolean): readonly (readonly [string, unknown])[] {
  const parts = Object.entries(value);
  return isList ? parts.map(([key, part]) => [key, part ?? null]) : parts.filter(([, part]) => part !== undefined);
}
