import type { Script } from "./frames.ts";
import { GUEST_FILE } from "./guest/text.ts";

const BOUNDARY = "<isolated-vm boundary>";

/** A stack with the author's frames only: the guest's, the wrapper's (`at own`) and everything beyond the isolate's edge are cut away. */
export function authoredStack(stack: string, own: string): string {
  const lines = stack.split("\n");
  const edge = lines.findIndex((line) => line.includes(BOUNDARY));
  const inside = edge < 0 ? lines : lines.slice(0, edge);
  const ours = (line: string): boolean => /^\s+at /.test(line) && (line.includes(GUEST_FILE) || line.trim() === `at ${own}`);
  return inside.filter((line) => !ours(line)).join("\n");
}

/** The stack with the lines of the `.woml`, which ends lines at LF alone; V8 does so at CR, U+2028 and U+2029 too. */
export function placedStack(stack: string, script: Script): string {
  if (!/\r(?!\n)|[\u2028\u2029]/.test(script.text)) return stack;
  const starts = lineStarts(script);
  const placed = (at: string): string =>
    at.replace(/^(\d{1,9}):(\d{1,9})/, (seen, line, column) => moved(seen, Number(line), Number(column)));
  const moved = (seen: string, line: number, column: number): string => {
    const start = starts[line - script.line];
    const first = line === script.line ? script.column : 1;
    return start === undefined ? seen : `${start.line}:${start.column + column - first}`;
  };
  const mark = `${script.file}:`;
  const row = (text: string): string => {
    const [before = "", ...places] = text.split(mark);
    return [before, ...places.map(placed)].join(mark);
  };
  return stack.replace(/^ +at .*$/gm, row);
}

/** Where each line of V8's begins in the `.woml`. */
function lineStarts({ text, line, column }: Script): readonly { readonly line: number; readonly column: number }[] {
  const starts = [{ line, column }];
  let [lines, origin] = [line, 1 - column];
  for (const { 0: end, index } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    const next = index + end.length;
    if (end.endsWith("\n")) [lines, origin] = [lines + 1, next];
    starts.push({ line: lines, column: next - origin + 1 });
  }
  return starts;
}
