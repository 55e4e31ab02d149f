import type { OperationManifest } from "@woml/capability";

/**
 * The header that carries an operation's key, and what stands in it: the key, or the key of its own that the input names. Null where the
 * manifest declares none, or the input names no header.
 */
export function idempotencyOf(
  declared: OperationManifest["idempotency"],
  input: unknown,
  key: string,
): { readonly header: string; readonly value: string } | null {
  if (declared === undefined) return null;
  const header = typeof declared.header === "string" ? declared.header : at(input, declared.header.pointer);
  const value = declared.value === undefined ? undefined : at(input, declared.value.pointer);
  if (typeof header !== "string" || header === "") return null;
  return { header, value: typeof value === "string" && value !== "" ? value : key };
}

/** RFC 6901; undefined where nothing stands. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}
