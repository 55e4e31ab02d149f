import type { Diagnostic } from "./diagnostic.ts";

/** A JavaScript or TypeScript module with all that it imports, as one bundle (sdk/modules makes it). */
export interface Bundle {
  /** Names of its exported functions, sorted. */
  readonly exports: readonly string[];
  /** ECMAScript module text without types, imports and paths. */
  readonly text: string;
  /** `sha256:` and 64 hex digits over `text`. */
  readonly digest: string;
  /** What the text was joined of, each a module of its own without imports and exports; bundles that hold the same source share its part. Absent: the text is read whole. */
  readonly parts?: readonly Part[];
}
export interface Part {
  readonly text: string;
}
/** Why a file of the project cannot be read: what the author is told, at the import that names it. */
export interface Absent {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}
/**
 * What a document may import. Paths are POSIX paths as `from` gives them, resolved against the path of the document that says it. A path
 * that is not in a map does not exist.
 */
export interface Project {
  /** Sources of reusable definitions. */
  readonly files: ReadonlyMap<string, string | Absent>;
  /** Modules named by an import of a document; for one that cannot be bundled, why. */
  readonly modules: ReadonlyMap<string, Bundle | Absent | readonly Diagnostic[]>;
  /** `1.0`: what WOML 1.0 takes is refused by none of our own rules, which only warn. */
  readonly profile?: Profile | undefined;
}
export type Profile = "1.0";
export const NO_PROJECT: Project = { files: new Map(), modules: new Map() };
