import { compile, type Diagnostic } from "@woml/language";
import { ApiError } from "./errors.ts";
import { printable } from "./printable.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export const FILES_MAX = 100;
const PATH = printable(1_024);

export function acceptSources(files: readonly SourceFile[]): readonly SourceFile[] {
  if (files.length > FILES_MAX) {
    throw new ApiError("WOML_SOURCES_INVALID", `${files.length} files; at most ${FILES_MAX} are taken`, {
      limit: FILES_MAX,
      actual: files.length,
    });
  }
  files.forEach(({ path }, at) => {
    if (!PATH.test(path)) {
      throw new ApiError("WOML_SOURCES_INVALID", `the path of file ${at + 1} has to be 1 to 1,024 printable characters`, {
        path: `/files/${at}/path`,
      });
    }
  });
  return files;
}

/** What the language has to say of each file, in the order of the files. */
export function check(files: readonly SourceFile[]): readonly Diagnostic[] {
  return acceptSources(files).flatMap((file) => compile(file).diagnostics);
}
