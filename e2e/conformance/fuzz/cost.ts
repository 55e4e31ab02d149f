import { compile } from "@woml/language";
import type { Made } from "./made.ts";

/** Milliseconds of the processor that a document may take: so many, and for each KB of it so many more. */
const LEAST_MS = 20;
const PER_KB_MS = 1;
const TRIES = 6;

export interface Cost {
  readonly ms: number;
  readonly kb: number;
  /** What it took by what it may take. */
  readonly share: number;
}

/** `first`: what it took once. Where that was long the shortest of several counts: the machine, or its compiler, may have been busy with something else. */
export function costOf(document: Made, first: number): Cost {
  const kb = (document.source.text.length + importedLength(document)) / 1_024;
  const bound = LEAST_MS + PER_KB_MS * kb;
  let ms = first;
  for (let tries = 1; tries < TRIES && ms > bound / 2; tries++)
    ms = Math.min(
      ms,
      spentMs(() => compile(document.source, document.project)),
    );
  return { ms, kb, share: ms / bound };
}

/** Milliseconds that something takes of the processor, on this thread. */
export function spentMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The documents beside it that it may read. */
function importedLength({ source, project }: Made): number {
  let length = 0;
  for (const [path, text] of project.files)
    if (typeof text === "string" && path.includes("/") && source.text.includes(path)) length += text.length;
  return length;
}
