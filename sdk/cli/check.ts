import { compile, type Diagnostic, type Position } from "@woml/language";
import type { SourceFile } from "./source.ts";

/** All that the language has to say about a set of sources, in their order. Touches nothing. */
export function check(sources: readonly SourceFile[]): readonly Diagnostic[] {
  const first = new Map<string, string>();
  return sources.flatMap((source) => {
    if (!source.utf8) return [notUtf8(source)];
    const { diagnostics, definition } = compile(source);
    if (!definition) return diagnostics;
    const other = first.get(definition.workflow.id);
    if (other === undefined) first.set(definition.workflow.id, source.path);
    return other === undefined ? diagnostics : [...diagnostics, duplicate(source, definition.workflow.id, other)];
  });
}

function notUtf8({ path, text }: SourceFile): Diagnostic {
  const message = "The file is not UTF-8 text.";
  return remark({ file: path, code: "WOML_SOURCE_CHARACTER_INVALID", message, hint: "Save it as UTF-8." }, text, text.indexOf("\uFFFD"), 1);
}

/** A tenant has one workflow of an id: publishing both would make each a version of the other. */
function duplicate({ path, text }: SourceFile, id: string, other: string): Diagnostic {
  const message = `The workflow id "${id}" is also that of ${other}.`;
  const [tag = ""] = /<workflow\s/.exec(text) ?? [];
  const hint = "Give one of them another id.";
  return remark({ file: path, code: "WOML_WORKFLOW_ID_DUPLICATE", message, hint }, text, text.indexOf(tag), "<workflow".length);
}

function remark(said: Pick<Diagnostic, "file" | "code" | "message" | "hint">, text: string, at: number, length: number): Diagnostic {
  const start = Math.max(0, at);
  return { ...said, severity: "error", start: positionIn(text, start), end: positionIn(text, start + length) };
}

function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1, offset };
}
