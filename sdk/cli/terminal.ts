import { styleText } from "node:util";
import { jsonPieces } from "./json.ts";
import { plain } from "./plain.ts";

type Style = Parameters<typeof styleText>[0];

/** What a command answers: stdout. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What is only for a person who watches: stderr. */
export const note = (text: string): void => void process.stderr.write(`${text}\n`);

export function sayJson(value: unknown): void {
  for (const piece of jsonPieces(value)) process.stdout.write(piece);
  say("");
}

/** Coloured where stdout is a terminal that shows colours and NO_COLOR is not set. */
export const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

/** Columns side by side, the last one as long as the line allows: `width` is the terminal's, or what a pipe takes without wrapping. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(plain));
  const widths = (clean[0] ?? []).map((_, at) => Math.max(...clean.map((row) => (row[at] ?? "").length)));
  return clean
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join("  "))
    .map((line) => clipped(line.trimEnd()))
    .join("\n");
}

function clipped(line: string): string {
  const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  return line.length > width && width > 1 ? `${line.slice(0, width - 1)}…` : line;
}

/** Resolves when all that was said has left this process; false when the answer could not be written. */
export async function flushed(): Promise<boolean> {
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
  if (lost !== null) note(`WOML_ANSWER_NOT_WRITTEN: The answer could not be written (${lost}).`);
  return lost === null;
}
let lost: string | null = null;

/** A reader that has gone away (`| head`) is no failure; a full disk is. */
export function tolerateClosedPipe(): void {
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") lost ??= error.code ?? error.message;
  });
}

/** `1 run`, `2 runs`. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
