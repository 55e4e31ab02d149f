import { type Compiled, compile, type Diagnosed, type Diagnostic, diagnose, outline, type Position } from "@woml/language";
import { usage } from "./exit.ts";
import { type File, type Surroundings, surroundings } from "./project.ts";
import type { SourceFile } from "./source.ts";

/** What stands before `<workflow` in a document without errors. */
const PROLOG = /^(?:\s|<!--.*?-->|<woml\s*>|<imports\s*>(?:<!--.*?-->|(?!<\/imports|<!--).)*<\/imports\s*>)*/s;

/** `texts`: what the diagnostics may be about. */
export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: readonly File[];
}

/** All that the language has to say about a set of sources, in their order, and of what they import. Reads what that is, writes nothing. */
export async function check(sources: readonly SourceFile[]): Promise<Checked> {
  const first = new Map<string, string>();
  const texts = new Map<string, File>(sources.map((source) => [source.path, source]));
  const found: Diagnostic[] = [];
  for (const source of sources) {
    const around = await surroundings(source);
    for (const file of around.files) if (!texts.has(file.path)) texts.set(file.path, file);
    const { diagnostics, workflow } = source.brokenAt === null ? diagnose(source, around.project) : broken(source, source.brokenAt);
    found.push(...diagnostics);
    const other = workflow === null ? undefined : first.get(workflow);
    if (workflow !== null && other !== undefined) found.push(duplicate(source, workflow, other));
    else if (workflow !== null) first.set(workflow, source.path);
  }
  requireWorkflows(sources);
  return { diagnostics: distinct(found), texts: [...texts.values()] };
}

/** All that the language has to say of one source among the files that it imports. */
export function judged(source: SourceFile, { project }: Surroundings): Pick<Compiled, "diagnostics" | "definition"> {
  if (source.brokenAt !== null) return { diagnostics: broken(source, source.brokenAt).diagnostics, definition: null };
  return compile(source, project);
}

/** What two documents import is judged with each. */
function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ file, code, message, start }: Diagnostic): string => JSON.stringify([file, code, message, start?.offset]);
  return [...new Map(diagnostics.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}

/** Who names directories means the workflows in them: there must be one in what is named. Definitions to import are what these need. */
function requireWorkflows(sources: readonly SourceFile[]): void {
  const isReusable = (source: SourceFile): boolean => /^(step|provider)$/.test(outline(source, () => undefined).defines ?? "");
  const folders = [...new Set(sources.map(({ folder }) => folder))].filter((folder) => folder !== undefined);
  if (folders.length === 0 || !sources.every(isReusable)) return;
  const holds = folders.length === 1 ? "holds" : "hold";
  throw usage(`${folders.join(", ")} ${holds} no workflow, only definitions to import.`, "WOML_RUNNABLE_WORKFLOW_REQUIRED");
}

function broken({ path, text }: SourceFile, at: number): Diagnosed {
  const message = "The file is not UTF-8 text.";
  const said = { file: path, code: "WOML_SOURCE_CHARACTER_INVALID", message, hint: "Save it as UTF-8." };
  return { diagnostics: [remark(said, text, at, 1)], workflow: null };
}

/** A tenant has one workflow of an id: publishing both would make each a version of the other. */
function duplicate({ path, text }: SourceFile, id: string, other: string): Diagnostic {
  const message = `The workflow id "${id}" is also that of ${other}.`;
  const hint = "Give one of them another id.";
  const at = PROLOG.exec(text)?.[0].length ?? 0;
  return remark({ file: path, code: "WOML_WORKFLOW_ID_DUPLICATE", message, hint }, text, at, "<workflow".length);
}

function remark(said: Pick<Diagnostic, "file" | "code" | "message" | "hint">, text: string, at: number, length: number): Diagnostic {
  return { ...said, severity: "error", start: positionIn(text, at), end: positionIn(text, at + length) };
}

function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1, offset };
}
