import type { Json } from "@woml/model";
import { actionSite, nodeAt } from "@woml/run";

/** Where a script's first character stands, counted from 1, for the stack traces an author reads. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What the own lifecycle of what is reusable is called in a source. */
const OWN: ReadonlyMap<string, string> = new Map([
  ["use_success", "on-success"],
  ["use_error", "on-error"],
  ["use_complete", "on-complete"],
]);

/**
 * What the source map calls the script at a site, whatever the iteration: `charge`, `hook:run_failure:2` for the second action of a hook and
 * `hook:run_failure:2:notify:1` for the first notice of it, `approve:notify:1`, and `charge:on-error:1` of an own lifecycle.
 */
export function scriptAt(site: string): string {
  const at = actionSite(site);
  if (at === null) return nodeAt(site);
  const { event, subject, action } = at;
  const own = OWN.get(event);
  if (own !== undefined) return `${scriptAt(subject ?? "")}:${own}:${action}`;
  if (event === "notice") return `${subject}:notify:${action}`;
  const [nth, notice] = action.split(".");
  return `hook:${event}:${nth}${notice === undefined ? "" : `:notify:${notice}`}`;
}

/**
 * Reads the source map kept with a version: `{file, scripts: {name: {line, column, file?}}}`, names being those of `scriptAt`. It only words
 * messages, so a script without an entry, and a map of another shape (a definition made elsewhere has none), stand at the start of a file
 * named after workflow and script.
 */
export function placesOf(workflow: string, sourceMap: Json): (name: string) => Place {
  const map = isRecord(sourceMap) ? sourceMap : {};
  const main = typeof map["file"] === "string" ? map["file"] : null;
  const scripts = isRecord(map["scripts"]) ? new Map(Object.entries(map["scripts"])) : new Map<string, Json>();
  return (name) => {
    const at = scripts.get(name);
    if (main === null || !isRecord(at) || !isCount(at["line"]) || !isCount(at["column"]))
      return { file: `${workflow}/${name}`, line: 1, column: 1 };
    return { file: typeof at["file"] === "string" ? at["file"] : main, line: at["line"], column: at["column"] };
  };
}

/**
 * Puts the author's files into a stack that names modules by their digests. The source map says where the sources of a module stand in it, in their
 * order: `modules: {digest: [[file, line]]}`, each from that line of the module on. A module that it does not know stays as it is.
 */
export function modulesOf(sourceMap: Json): (stack: string) => string {
  const map = isRecord(sourceMap) && isRecord(sourceMap["modules"]) ? sourceMap["modules"] : {};
  const modules = new Map(Object.entries(map));
  if (modules.size === 0) return (stack) => stack;
  return (stack) =>
    stack.replace(/(sha256:[0-9a-f]{64}):(\d{1,9})(?=:\d)/g, (seen: string, digest: string, line: string) => {
      const at = sectionAt(modules.get(digest), Number(line));
      return at === null ? seen : `${at.file}:${Number(line) - at.line + 1}`;
    });
}

/** The last that begins at the line or before. */
function sectionAt(sections: Json | undefined, line: number): { readonly file: string; readonly line: number } | null {
  let found: { readonly file: string; readonly line: number } | null = null;
  for (const section of Array.isArray(sections) ? sections : []) {
    const [file, from] = Array.isArray(section) ? section : [];
    if (typeof file === "string" && isCount(from) && from <= line) found = { file, line: from };
  }
  return found;
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}
