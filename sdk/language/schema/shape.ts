import type { Json } from "@woml/model";
import { type Fault, isObject, KEYWORDS, MOST_FAULTS, type Part, partsOf, pointerOf, type Way } from "@woml/model/schema";

/**
 * What in a schema, and in all schemas that its keywords hold, is not as JSON Schema 2020-12 has it. What stands in `seen` has been
 * looked at, and what is looked at comes to stand there.
 */
export function shapeFaults(root: Part, seen: Set<Json>): readonly Fault[] {
  const found: Fault[] = [];
  // Grows while it is read.
  const parts: Part[] = [root];
  for (const { schema, way } of parts) {
    if (found.length >= MOST_FAULTS) break;
    if (typeof schema === "boolean" || seen.has(schema)) continue;
    seen.add(schema);
    if (isObject(schema)) found.push(...keywordFaults(schema, way, parts));
    else found.push({ kind: "invalid", pointer: pointerOf(way), why: "must be a schema: an object, true or false" });
  }
  return found.slice(0, MOST_FAULTS);
}

function keywordFaults(schema: { readonly [key: string]: Json }, way: Way, parts: Part[]): Fault[] {
  const found: Fault[] = [];
  for (const [key, value] of Object.entries(schema)) {
    const keyword = KEYWORDS.get(key);
    if (!keyword) continue;
    const at: Way = { above: way, key };
    if (!keyword.isSound(value)) found.push({ kind: "invalid", pointer: pointerOf(at), why: keyword.must });
    else for (const part of partsOf(keyword, value, at)) parts.push(part);
  }
  return found;
}
