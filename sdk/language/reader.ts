import type { Defines, Document } from "./document.ts";
import { Findings } from "./findings.ts";
import { readImports } from "./imports.ts";
import { parse } from "./parser.ts";
import type { Project } from "./project.ts";
import { read } from "./script/reading.ts";
import { overrun, strayCharacters } from "./source.ts";
import { type Element, elementsOf } from "./tree.ts";

/** Longest source, in bytes of UTF-8. */
export const SOURCE_LIMIT = 1_048_576;

export interface Source {
  readonly path: string;
  readonly text: string;
}
/** A text that forms no tree has findings alone. */
export type Opened = Document | { readonly root: null; readonly findings: Findings };

export function open({ path, text }: Source, project: Project): Opened {
  const findings = new Findings();
  const root = isReadable(text, findings) ? parse(text, findings) : null;
  if (!root) return { root, findings };
  const imports = readImports(root, path, project);
  return { path, text, root, defines: definesOf(root), imports, findings, profile: project.profile, read: memo(read) };
}

/** What a document defines: the first of what may stand below its root. */
function definesOf(root: Element): Defines {
  const kinds: ReadonlySet<string> = new Set(["workflow", "step", "provider"]);
  return (elementsOf(root).find(({ name }) => kinds.has(name))?.name ?? null) as Defines;
}

function isReadable(text: string, findings: Findings): boolean {
  const over = overrun(text, SOURCE_LIMIT);
  if (over !== null) {
    const message = `The source is longer than ${SOURCE_LIMIT} bytes.`;
    findings.add({ start: over, end: over }, { code: "WOML_SOURCE_TOO_LARGE", message, hint: "Split the workflow." });
    return false;
  }
  const message = "This character is U+0000 or half of a surrogate pair: it can neither be stored nor run.";
  for (const range of strayCharacters(text)) findings.add(range, { code: "WOML_SOURCE_CHARACTER_INVALID", message, hint: "Remove it." });
  return !findings.hasError;
}

function memo<K, V>(of: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
}
