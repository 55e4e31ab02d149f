import type { Diagnostic } from "./diagnostic.ts";
import { printable } from "./source.ts";

const WIDTH = 110;

/** A line for people, then the place in the source, then the hint. `text` is the source that the diagnostic is about. */
export function render(diagnostic: Diagnostic, text: string): string {
  const { file, start, severity, code, message, hint } = diagnostic;
  const place = start ? `${printable(file)}:${start.line}:${start.column}` : printable(file);
  const lines = [`${place} ${severity} ${code}: ${message}`];
  if (start) lines.push(...frame(diagnostic, text));
  if (hint !== null) lines.push(`  hint: ${hint}`);
  return lines.join("\n");
}

/** The line before and the line itself, with what is meant underlined. Of a long line only the part around it is shown. */
function frame({ start, end }: Diagnostic, text: string): string[] {
  if (!start) return [];
  const lineStart = start.offset - start.column + 1;
  const line = lineAt(text, lineStart);
  const from = Math.max(0, Math.min(start.column - 1 - WIDTH / 2, line.length - WIDTH));
  const length = end && end.line === start.line ? end.column - start.column : line.length - start.column + 1;
  const marks = "^".repeat(Math.max(1, Math.min(length, from + WIDTH - start.column + 1)));
  const gutter = String(start.line).length;
  const before = part(lineBefore(text, lineStart), 0);
  return [
    ...(before.trim() === "" ? [] : [`  ${String(start.line - 1).padStart(gutter)} | ${printable(before)}`]),
    `  ${start.line} | ${printable(part(line, from))}`,
    `  ${" ".repeat(gutter)} | ${" ".repeat(start.column - 1 - from)}${marks}`,
  ];
}

/** What is shown of a line. Half a character at its ends is a blank, so that what is underlined stays where it is. */
const part = (line: string, from: number): string =>
  line
    .slice(from, from + WIDTH)
    .replace(/^[\udc00-\udfff]/, " ")
    .replace(/[\ud800-\udbff]$/, " ");

/** "" before the first line. A search from below 0 would look at 0. */
function lineBefore(text: string, start: number): string {
  return start < 2 ? "" : lineAt(text, text.lastIndexOf("\n", start - 2) + 1);
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end).replace(/\r$/, "");
}
