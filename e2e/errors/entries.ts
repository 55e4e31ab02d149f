// Of every code of the language: what it means, and the document that raises it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CODES, compile, type Diagnostic, render } from "@woml/language";
import { CODES as MODULE_CODES } from "@woml/modules";
import { documentsOf } from "../conformance/judge.ts";
import { projectOf } from "../conformance/project.ts";
import { MADE, type Made } from "./made.ts";

/** Documents made for one code each, and those of the conformance corpus. Of those that raise a code the one called like it is its example, or the first. */
const FOLDERS = [join(import.meta.dirname, "documents"), join(import.meta.dirname, "..", "conformance", "documents")];

export interface Entry {
  readonly code: string;
  readonly meaning: string;
  /** The diagnostic as a terminal shows it; null: no document raises it. */
  readonly shown: string | null;
}

interface Raised {
  readonly diagnostic: Diagnostic;
  /** The source that it is about. */
  readonly text: string;
  /** How many others its document raises. */
  readonly beside: number;
  /** Whether its document is called like the code. */
  readonly isNamed: boolean;
}

export function entries(): readonly Entry[] {
  const raised = [...FOLDERS.flatMap(raisedIn), ...MADE.flatMap(raisedBy)];
  const byCode = Map.groupBy(raised, ({ diagnostic }) => diagnostic.code);
  return Object.entries({ ...CODES, ...MODULE_CODES }).map(([code, meaning]) => {
    const best = byCode.get(code)?.toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed) || a.beside - b.beside)[0];
    return { code, meaning, shown: best ? render(best.diagnostic, best.text) : null };
  });
}

function raisedBy({ source, project }: Made): readonly Raised[] {
  const { diagnostics } = compile(source, project);
  return diagnostics.map((diagnostic) => ({ diagnostic, text: source.text, beside: diagnostics.length - 1, isNamed: false }));
}

function raisedIn(folder: string): readonly Raised[] {
  const found: Raised[] = [];
  for (const path of documentsOf(folder)) {
    const text = readFileSync(join(folder, path), "utf8");
    const { diagnostics } = compile({ path, text }, projectOf(folder, { path, text }));
    for (const diagnostic of diagnostics) {
      const about = diagnostic.file === path ? text : readFileSync(join(folder, diagnostic.file), "utf8");
      found.push({ diagnostic, text: about, beside: diagnostics.length - 1, isNamed: path === documentOf(diagnostic.code) });
    }
  }
  return found;
}

/** `WOML_CONFIG_EMPTY` is shown by `config-empty.woml`. */
const documentOf = (code: string): string => `${code.slice("WOML_".length).toLowerCase().replaceAll("_", "-")}.woml`;
