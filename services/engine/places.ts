import type { Json } from "@woml/model";

/** Where a script's first character stands, counted from 1, for the stack traces an author reads. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Reads the source map kept with a version: `{file, scripts: {node: {line, column}}}`. It only words messages, so a node without an
 * entry, and a map of another shape (a definition made elsewhere has none), stand at the start of a file named after workflow and node.
 */
export function placesOf(workflow: string, sourceMap: Json): (node: string) => Place {
  const map = isRecord(sourceMap) ? sourceMap : {};
  const file = typeof map["file"] === "string" ? map["file"] : null;
  const scripts = isRecord(map["scripts"]) ? new Map(Object.entries(map["scripts"])) : new Map<string, Json>();
  return (node) => {
    const at = scripts.get(node);
    if (file !== null && isRecord(at) && isCount(at["line"]) && isCount(at["column"]))
      return { file, line: at["line"], column: at["column"] };
    return { file: `${workflow}/${node}`, line: 1, column: 1 };
  };
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}
