const SYNTAX = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** Whether `text` is a JSON pointer (RFC 6901). */
export const isPointer = (text: string): boolean => SYNTAX.test(text);

/** What stands at `pointer`, or undefined. Own members only: no pointer reaches a prototype. */
export function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of pointer.split("/").slice(1)) {
    here = member(here, part.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (here === undefined) return undefined;
  }
  return here;
}

function member(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
