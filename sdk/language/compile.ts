import { accept, type Definition } from "@woml/model";
import { isLimit } from "./codes.ts";
import type { Diagnostic, Position, Remark, Span } from "./diagnostic.ts";
import { Findings } from "./findings.ts";
import { Draft } from "./lower/draft.ts";
import { unusedUses, usePlaces } from "./lower/uses.ts";
import { lower } from "./lower/workflow.ts";
import { parse } from "./parser.ts";
import { dominatedReferences } from "./rules/dominated-reference.ts";
import { GATES, rulesFor } from "./rules.ts";
import { read } from "./script/reading.ts";
import { overrun, Places, type Range, strayCharacters } from "./source.ts";
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
/**
 * Where in the source it stands what a definition is judged for when it is published. `uses`: by alias, its `<uses>`, and for http the first
 * call. `calls` and `secrets`: by node, then by `<alias>.<operation>` or name, the first place in the script.
 */
export interface Spans {
  readonly uses: ReadonlyMap<string, Span>;
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, Span>>;
  readonly secrets: ReadonlyMap<string, ReadonlyMap<string, Span>>;
}
interface Made {
  /** null when a diagnostic is an error; so are the others. */
  readonly definition: Definition | null;
  readonly sourceMap: SourceMap | null;
  readonly spans: Spans | null;
}
export interface Compiled extends Made {
  /** Sorted by position; errors and warnings. */
  readonly diagnostics: readonly Diagnostic[];
}
const NOTHING: Made = { definition: null, sourceMap: null, spans: null };

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
  const made = root && !findings.hasError ? accepted(root, new Draft(readings), findings, source) : NOTHING;
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
  return !findings.hasError;
}

function accepted(root: Element, draft: Draft, findings: Findings, source: Source): Made {
  const answer = accept(lower(root, draft));
  if ("definition" in answer) {
    for (const element of unusedUses(root, draft)) findings.add(element.openRange, UNUSED);
    const places = new Places(source.text);
    return { definition: answer.definition, sourceMap: sourceMap(draft, source.path, places), spans: spans(root, draft, places) };
  }
  for (const { code, message } of answer.violations) {
    // Anything but a limit is a fault of lowering, not of the author.
    if (!isLimit(code)) throw new Error(`lowering made an unacceptable definition: ${code} ${message}`);
    findings.add(root.openRange, { code, message: `${message}.`, hint: "Split the workflow." });
  }
  return NOTHING;
}

const UNUSED: Remark = {
  code: "WOML_MODULE_UNUSED",
  severity: "warning",
  message: "No script calls this capability: it is no part of the definition.",
  hint: "Remove it, or call it.",
};

function spans(root: Element, draft: Draft, places: Places): Spans {
  const placed = (ranges: ReadonlyMap<string, Range>): ReadonlyMap<string, Span> =>
    new Map([...ranges].map(([name, range]) => [name, places.span(range)]));
  const byNode = (nodes: ReadonlyMap<string, ReadonlyMap<string, Range>>): Spans["calls"] =>
    new Map([...nodes].map(([node, ranges]) => [node, placed(ranges)]));
  return { uses: placed(usePlaces(root, draft)), calls: byNode(draft.calls), secrets: byNode(draft.secrets) };
}

function sourceMap(draft: Draft, path: string, places: Places): SourceMap {
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
