import type { Defines } from "./document.ts";
import { importedPaths } from "./imports.ts";
import type { Absent } from "./project.ts";
import { parsedFrom, type Source } from "./reader.ts";

/** The text of a file; undefined when there is none at that path. */
export type ReadFile = (path: string) => string | Absent | undefined;

/** What a document needs of a project before it can be compiled. */
export interface Outline {
  readonly defines: Defines;
  /** What is imported as `.woml`, by this document and by what it imports; for the paths at which there is something. */
  readonly files: ReadonlyMap<string, string | Absent>;
  /** The modules that any of these documents names, each once. */
  readonly modules: readonly string[];
}

/** More than the compiler takes of documents around one, and of their characters: what it refuses it has to be given. */
const MOST_DOCUMENTS = 600;
const MOST_CHARS = 33_554_432;
const REST: Absent = {
  code: "WOML_MODULE_GRAPH_LIMIT_EXCEEDED",
  message: "More documents are imported than are read.",
  hint: "Split the workflow.",
};

/** Reads what a document imports, in the order of the compiler: each document before the next one beside it. */
export function outline(source: Source, read: ReadFile): Outline {
  const files = new Map<string, string | Absent>();
  const modules = new Set<string>();
  let chars = 0;
  const readSome: ReadFile = (path) => {
    const text = chars < MOST_CHARS && files.size < MOST_DOCUMENTS ? read(path) : REST;
    chars += typeof text === "string" ? text.length : 0;
    return text;
  };
  const { root, defines } = parsedFrom(source);
  const waiting = root ? importedPaths(root, source.path).toReversed() : [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (!path.endsWith(".woml")) modules.add(path);
    else if (path !== source.path && !files.has(path)) waiting.push(...taken(path, files, readSome));
  }
  return { defines, files, modules: [...modules] };
}

/** Notes what stands at `path`, and answers what it imports, the first one last. */
function taken(path: string, files: Map<string, string | Absent>, read: ReadFile): readonly string[] {
  const text = read(path);
  if (text !== undefined) files.set(path, text);
  if (typeof text !== "string") return [];
  const { root, defines } = parsedFrom({ path, text });
  // What a workflow imports is of no interest here: it cannot be imported itself.
  return root && defines !== "workflow" ? importedPaths(root, path).toReversed() : [];
}
