// What the language has to say of files that were sent. All that goes in and comes out can be copied between threads: whoever sends little is
// answered here, whoever sends much by a thread (compile-thread.ts), so that nobody else waits for it.
import { setImmediate as turn } from "node:timers/promises";
import { type Compiled, compile, outline } from "@woml/language";
import { type Bundles, isDocument, projectOf, type SourceFile } from "./project.ts";

/** Files are named by their numbers. */
export interface Made {
  /** Documents that define workflows; for a publish, which is of one, only the first is compiled. */
  readonly workflows: readonly number[];
  readonly documents: readonly (Compiled & { readonly file: number })[];
  /** Files that are one of the documents, or that one of them imports by whatever way. */
  readonly used: readonly number[];
  readonly bundles: Bundles;
}
/** `publish`: the first workflow, or where there is none the first file. `check`: every document. */
export interface Compiling {
  readonly of: "publish" | "check";
  readonly files: readonly SourceFile[];
}

/** Rejects with TooLong where documents import too much. */
export async function compileFiles({ of, files }: Compiling): Promise<Made> {
  const numbers = new Map(files.map((file, at) => [file, at]));
  const numberOf = (file: SourceFile): number => numbers.get(file) ?? -1;
  const isWorkflow = (file: SourceFile): boolean => isDocument(file) && outline(file, () => undefined).defines === "workflow";
  const workflows = of === "publish" ? files.filter(isWorkflow) : [];
  const documents = of === "publish" ? [workflows[0] ?? files[0]].filter((file) => file !== undefined) : files.filter(isDocument);
  const { project, bundles, used } = await projectOf(documents, files);
  const compiled: (Compiled & { readonly file: number })[] = [];
  for (const file of documents) {
    compiled.push({ file: numberOf(file), ...compile(file, project) });
    // Others are answered in between.
    await turn();
  }
  return { workflows: workflows.map(numberOf), documents: compiled, used: [...used].map(numberOf), bundles };
}
