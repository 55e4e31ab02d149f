import type { Code } from "./codes.ts";

/** `line` and `column` from 1, `offset` from 0, all in UTF-16 code units; lines end at LF only. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}
export interface Span {
  readonly start: Position;
  readonly end: Position;
}
/** A coded remark on a source for its author. */
export interface Diagnostic {
  readonly file: string;
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string | null;
  readonly start: Position | null;
  readonly end: Position | null;
}

/** What is wrong, before it has a place. */
export interface Remark {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
  /** An error when absent. */
  readonly severity?: "warning";
  /** WOML 1.0 takes what is refused here, and has the code for something else. */
  readonly own?: true;
}
