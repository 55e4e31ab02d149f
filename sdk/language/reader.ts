import type { Defines, Document } from "./document.ts";
import { Findings } from "./findings.ts";
import { readImports } from "./imports.ts";
import { judge } from "./judge.ts";
import { Library, type ReadAt, type Taken, WORKFLOW } from "./library.ts";
import { parse } from "./parser.ts";
import type { Project } from "./project.ts";
import { declaredProps } from "./props.ts";
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
type Opened = Document | (Source & { readonly root: null; readonly findings: Findings });

/** A document, and all that it imports in the order in which it is named. What is imported has been judged already. */
export interface Opening {
  readonly document: Opened;
  readonly imported: readonly Opened[];
}

export function open(source: Source, project: Project): Opening {
  const library = new Library(project);
  const imported: Opened[] = [];
  const readAt = (path: string, text: string): Taken => {
    const parsed = parsedFrom({ path, text });
    if (parsed.defines === "workflow") return { fault: WORKFLOW };
    const at = imported.length;
    const opened = opening(parsed, library, readAt);
    imported.splice(at, 0, opened);
    if (opened.root) judge(opened);
    return defined(opened) ?? { fault: null };
  };
  return { document: opening(parsedFrom(source), library, readAt), imported };
}

interface Parsed extends Source {
  readonly root: Element | null;
  readonly defines: Defines;
  readonly findings: Findings;
}

/** One text alone: its tree, if it forms one, and what it defines. */
export function parsedFrom({ path, text }: Source): Parsed {
  const findings = new Findings();
  const root = isReadable(text, findings) ? parse(text, findings) : null;
  return { path, text, root, defines: root && definesOf(root), findings };
}

function opening({ path, text, root, defines, findings }: Parsed, library: Library, readAt: ReadAt): Opened {
  if (!root) return { path, text, root, findings };
  const imports = library.within({ path, defines }, () => readImports(root, path, { library, readAt }));
  return { path, text, root, defines, imports, findings, profile: library.project.profile, read: memo(read) };
}

function defined(document: Opened): Taken | null {
  if (!document.root || document.findings.hasError) return null;
  const { defines: kind } = document;
  return kind === "step" || kind === "provider" ? { definition: { kind, document, props: declaredProps(document.root) } } : null;
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
