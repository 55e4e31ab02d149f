// What documents that were sent may import: the files that were sent with them.
import { setImmediate as turn } from "node:timers/promises";
import { type Outline, outline, type Project } from "@woml/language";
import type { Bundle, bundle } from "@woml/modules";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}
/** By digest. */
export type Bundles = ReadonlyMap<string, Pick<Bundle, "text" | "sections">>;
export interface Sent {
  readonly project: Project;
  readonly bundles: Bundles;
  /** Files that are one of the documents, or that one of them imports by whatever way. */
  readonly used: ReadonlySet<SourceFile>;
}
/** The files of a publish or check that are documents: all others can only be imported. */
export const isDocument = ({ path }: SourceFile): boolean => !/\.[jt]s$/.test(path);

/**
 * Characters of what documents import, counted for each document that does: each is compiled with its own. One document cannot import
 * more than comes with a request; a hundred that import the same shall cost no more.
 */
const IMPORTED_CHARS = 4_194_304;

export class TooLong extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super("what the documents import is too long");
    this.limit = limit;
  }
}

/** Of two files with one path the first is meant. Modules that several documents name are bundled once. */
export async function projectOf(documents: readonly SourceFile[], sent: readonly SourceFile[]): Promise<Sent> {
  const byPath = new Map(sent.toReversed().map((file) => [file.path, file]));
  const used = new Set(documents);
  let chars = 0;
  const read = (path: string): string | undefined => {
    const file = byPath.get(path);
    if (file) used.add(file);
    chars += file?.text.length ?? 0;
    if (chars > IMPORTED_CHARS) throw new TooLong(IMPORTED_CHARS);
    return file?.text;
  };
  const outlines: Outline[] = [];
  for (const file of documents) {
    outlines.push(outline(file, read));
    await turn();
  }
  const modules = outlines.flatMap((one) => one.modules);
  // Only here: what bundles modules is not loaded by a control that is never sent any.
  const bundled: ReturnType<typeof bundle> = modules.length > 0 ? (await import("@woml/modules")).bundle(modules, read) : new Map();
  const files = new Map(outlines.flatMap((one) => [...one.files]));
  const bundles = new Map(bundled.values().flatMap((one) => ("digest" in one ? [[one.digest, textAndSections(one)] as const] : [])));
  return { project: { files, modules: bundled }, bundles, used };
}

const textAndSections = ({ text, sections }: Bundle): Pick<Bundle, "text" | "sections"> => ({ text, sections });
