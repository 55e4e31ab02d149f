import type { Definition } from "@woml/model";
import type { Diagnostic, Position } from "./diagnostic.ts";

export interface Source {
  readonly path: string;
  readonly text: string;
}
/** Where the scripts of a version stand: by node id, the position of the body's first character. Kept with the version, never hashed. */
export interface SourceMap {
  readonly file: string;
  readonly scripts: Readonly<Record<string, Pick<Position, "line" | "column">>>;
}
export interface Compiled {
  /** Sorted by position; errors and warnings. */
  readonly diagnostics: readonly Diagnostic[];
  /** null when a diagnostic is an error. */
  readonly definition: Definition | null;
  readonly sourceMap: SourceMap | null;
}
