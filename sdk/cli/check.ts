import { compile, type Diagnostic, type Position } from "@woml/language";
import type { SourceFile } from "./source.ts";

/** What stands before `<workflow` in a document without errors. */
const PROLOG = /^(?:\s|<!--.*?-->|<woml\s*>|<imports\s*>(?:<!--.*?-->|(?!<\/imports|<!--).)*<\/imports\s*>)*/s;

/** All that the language has to say about a set of sources, in their order. Touches nothing. */
export function check(sources: readonly SourceFile[]): readonly Diagnostic[] {
  const first = new Map<string, string>();
  return sources.flatMap((source) => {
    if (source.brokenAt !== null) return [notUtf8(source, source.brokenAt)];
    const { diagnostics, definition } = compile(source);
    if (!definition) return diagnostics;
    const other = first.get(definition.workflow.id);
    if (other === undefined) first.set(definition.workflow.id, source.path);
    return other === undefined ? diagnostics : [...diagnostics, duplicate(source, definition.workflow.id, other)];
  });
}

function notUtf8({ path, text }: SourceFile, brokenAt: number): Diagnostic {
  const message = "The file is not UTF-8 text.";
  return remark({ file: path, code: "WOML_SOURCE_CHARACTER_INVALID", message, hint: "Save it as UTF-8." }, text, brokenAt, 1);
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
