import { accept, type Definition } from "@woml/model";
import { isLimit } from "./codes.ts";
import type { Diagnostic, Position } from "./diagnostic.ts";
import { Findings } from "./findings.ts";
import { Draft } from "./lower/draft.ts";
import { lower } from "./lower/workflow.ts";
import { parse } from "./parser.ts";
import { dominatedReferences } from "./rules/dominated-reference.ts";
import { GATES, rulesFor } from "./rules.ts";
import { read } from "./script/reading.ts";
import { overrun, Places, strayCharacters } from "./source.ts";
import type { Element } from "./tree.ts";
import { visit } from "./visit.ts";

/** Longest source, in bytes of UTF-8. */
export const SOURCE_LIMIT = 1_048_576;

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

/**
 * Text to definition: parse, rules, lower, accept. All that is wrong with a document is in one answer; when its tags form no tree,
 * that alone. Never throws, whatever the text.
 */
export function compile(source: Source): Compiled {
  const findings = new Findings();
  const readings = memo(read);
  const root = isReadable(source.text, findings) ? parse(source.text, findings) : null;
  if (root) {
    visit(root, findings, { gates: GATES, rules: rulesFor(source.text, readings) });
    dominatedReferences(root, findings);
  }
  const made = root && findings.isEmpty ? accepted(root, new Draft(readings), findings, source) : { definition: null, sourceMap: null };
  return { diagnostics: findings.diagnostics(source.path, source.text), ...made };
}

function isReadable(text: string, findings: Findings): boolean {
  const over = overrun(text, SOURCE_LIMIT);
  if (over !== null) {
    const message = `The source is longer than ${SOURCE_LIMIT} bytes.`;
    findings.add({ start: over, end: over }, { code: "WOML_SOURCE_TOO_LARGE", message, hint: "Split the workflow." });
    return false;
  }
  const message = "This character is U+0000 or half of a surrogate pair: it can neither be stored nor run.";
  for (const range of strayCharacters(text)) findings.add(range, { code: "WOML_SOURCE_CHARACTER_INVALID", message, hint: "Remove it." });
  return findings.isEmpty;
}

function accepted(root: Element, draft: Draft, findings: Findings, source: Source): Pick<Compiled, "definition" | "sourceMap"> {
  const answer = accept(lower(root, draft));
  if ("definition" in answer) return { definition: answer.definition, sourceMap: sourceMap(draft, source) };
  for (const { code, message } of answer.violations) {
    // Anything but a limit is a fault of lowering, not of the author.
    if (!isLimit(code)) throw new Error(`lowering made an unacceptable definition: ${code} ${message}`);
    findings.add(root.openRange, { code, message: `${message}.`, hint: "Split the workflow." });
  }
  return { definition: null, sourceMap: null };
}

function sourceMap(draft: Draft, { path, text }: Source): SourceMap {
  const places = new Places(text);
  const scripts = [...draft.scripts].map(([id, offset]) => {
    const { line, column } = places.position(offset);
    return [id, { line, column }] as const;
  });
  return { file: path, scripts: Object.fromEntries(scripts) };
}

function memo<K, V>(of: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
}
