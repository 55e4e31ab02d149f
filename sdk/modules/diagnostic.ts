import { Lines } from "./lines.ts";

/** More than this of one source, or of one module, helps nobody. */
export const MOST_FAULTS = 100;

/** `line` and `column` from 1, `offset` from 0, all in UTF-16 code units; lines end at LF only. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}
/** A coded remark on a module for its author; `file` is the path by which it was read. */
export interface Diagnostic {
  readonly file: string;
  readonly code: string;
  readonly severity: "error";
  readonly message: string;
  readonly hint: string | null;
  readonly start: Position;
  readonly end: Position;
}
/** Why a file cannot be read. */
export interface Absent {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}
/** The text of a file; undefined when there is none at that path. */
export type Read = (path: string) => string | Absent | undefined;

/** `line`: of the bundle's text, from 1, that on which the source's first line stands. A line ends as in JavaScript. */
export interface Section {
  readonly path: string;
  readonly line: number;
}
/** A module with all that it imports. */
export interface Bundle {
  /** Names of its exported functions, sorted. */
  readonly exports: readonly string[];
  /** ECMAScript module text without types, imports and paths. */
  readonly text: string;
  /** `sha256:` and 64 hex digits over `text`. */
  readonly digest: string;
  /** What the text was joined of, each a module of its own without imports and exports; bundles that hold the same source share its part. */
  readonly parts: readonly Part[];
  /** Where in the text its sources stand, in their order there: each on as many lines as it has. No part of the digest. */
  readonly sections: readonly Section[];
}
export interface Part {
  readonly text: string;
}

/** What is wrong with a source, with offsets in its text as it was read. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly start: number;
  readonly end: number;
}

/** Sorted by place. */
export function placed(file: string, text: string, faults: readonly Fault[]): readonly Diagnostic[] {
  const lines = new Lines(text);
  return faults
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .slice(0, MOST_FAULTS)
    .map(({ code, message, hint, start, end }) => {
      return { file, code, severity: "error", message, hint, start: lines.position(start), end: lines.position(end) };
    });
}

const LONGEST = 60;

/** What an author wrote, fit to stand in a message: short, on one line, without control and direction characters. */
export function quoted(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
  return `"${printable(short)}"`;
}

export const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, " ");
