import type { Definition, Violation } from "@woml/model";
import { accept, exceeded } from "@woml/model/laws";
import { isLimit } from "./codes.ts";
import type { Diagnostic, Position, Remark, Span } from "./diagnostic.ts";
import type { Document } from "./document.ts";
import { diagnosticsOf } from "./findings.ts";
import { judge } from "./judge.ts";
import { Draft } from "./lower/draft.ts";
import { unusedModules } from "./lower/modules.ts";
import { unusedUses, usePlaces } from "./lower/uses.ts";
import { lower } from "./lower/workflow.ts";
import { NO_PROJECT, type Project } from "./project.ts";
import { open, type Source } from "./reader.ts";
import { Places, type Range } from "./source.ts";

/**
 * Where the scripts of a version stand: by node id (`hook:<event>:<n>` for those of the lifecycle), the position of the body's first
 * character. `file` where it is another one. Kept with the version, never hashed.
 */
export interface SourceMap {
  readonly file: string;
  readonly scripts: Readonly<Record<string, Pick<Position, "line" | "column"> & { readonly file?: string }>>;
}
/**
 * Where in the source it stands what a definition is judged for when it is published. `uses`: by alias, its `<uses>`, and for what needs
 * none the first call. `calls` and `secrets`: by node, then by `<alias>.<operation>` or name, the first place in the script. `subjects`:
 * by what `unsupported` (sdk/model) calls it, such as `node:route` or `trigger:hook`, the tag or attribute.
 */
export interface Spans {
  readonly uses: ReadonlyMap<string, Span>;
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, Span>>;
  readonly secrets: ReadonlyMap<string, ReadonlyMap<string, Span>>;
  readonly subjects: ReadonlyMap<string, Span>;
}
interface Made {
  /** null when a diagnostic is an error, or the document defines no workflow; so are the others. */
  readonly definition: Definition | null;
  readonly sourceMap: SourceMap | null;
  readonly spans: Spans | null;
}
export interface Compiled extends Made {
  /** Errors and warnings: those of the document, then those of what it imports, documents before modules, each sorted by position. */
  readonly diagnostics: readonly Diagnostic[];
}
export interface Diagnosed {
  readonly diagnostics: readonly Diagnostic[];
  readonly workflow: string | null;
}
const NOTHING: Made = { definition: null, sourceMap: null, spans: null };

/**
 * Text to definition: parse, rules, lower, accept. All that is wrong with a document is in one answer; when its tags form no tree,
 * that alone. A sound document of a reusable definition has neither errors nor a definition. Never throws, whatever the text.
 */
export function compile(source: Source, project: Project = NO_PROJECT): Compiled {
  const { lowered, diagnostics } = judged(source, project);
  const made = lowered ? accepted(lowered) : NOTHING;
  return { diagnostics: diagnostics(), ...made };
}

/** What `compile` has to say, in half its time: nothing is made. `workflow`: the id of a sound one. */
export function diagnose(source: Source, project: Project = NO_PROJECT): Diagnosed {
  const { lowered, diagnostics } = judged(source, project);
  const isWhole = lowered !== null && !refused(lowered.draft.document, exceeded(lowered.definition));
  if (isWhole) warn(lowered.draft);
  return { diagnostics: diagnostics(), workflow: isWhole ? lowered.definition.workflow.id : null };
}

interface Lowered {
  readonly draft: Draft;
  readonly definition: Definition;
}
interface Judged {
  /** null when a diagnostic is an error, or the document defines no workflow. */
  readonly lowered: Lowered | null;
  /** All there are when this is called. */
  diagnostics(): readonly Diagnostic[];
}

function judged(source: Source, project: Project): Judged {
  const { document, imported } = open(source, project);
  if (document.root) judge(document);
  const all = [document, ...imported];
  // Two documents may import the same module.
  const told = [...new Set(all.flatMap((one) => (one.root ? one.imports.told : [])))];
  const isSound = told.length === 0 && all.every(({ findings }) => !findings.hasError);
  const diagnostics = (): readonly Diagnostic[] => [...diagnosticsOf(all, project.profile), ...told];
  if (!document.root || document.defines !== "workflow" || !isSound) return { lowered: null, diagnostics };
  const draft = new Draft(document);
  return { lowered: { draft, definition: lower(document.root, draft) }, diagnostics };
}

function accepted({ draft, definition }: Lowered): Made {
  const { document } = draft;
  const answer = accept(definition);
  if ("violations" in answer) {
    refused(document, answer.violations);
    return NOTHING;
  }
  warn(draft);
  const places = new Places(document.text);
  return { definition: answer.definition, sourceMap: sourceMap(draft, document.path, places), spans: spans(draft, places) };
}

/** Says of a document what bounds its definition passes; whether it does. */
function refused({ root, findings }: Document, violations: readonly Violation[]): boolean {
  for (const { code, message } of violations) {
    // Anything but a limit is a fault of lowering, not of the author.
    if (!isLimit(code)) throw new Error(`lowering made an unacceptable definition: ${code} ${message}`);
    findings.add(root.openRange, { code, message: `${message}.`, hint: "Split the workflow." });
  }
  return violations.length > 0;
}

function warn(draft: Draft): void {
  const { root, findings } = draft.document;
  for (const element of [...unusedUses(root, draft), ...unusedModules(root, draft)]) findings.add(element.openRange, UNUSED);
}

const UNUSED: Remark = {
  code: "WOML_MODULE_UNUSED",
  severity: "warning",
  message: "No script calls this: it is no part of the definition.",
  hint: "Remove it, or call it.",
};

function spans(draft: Draft, places: Places): Spans {
  const placed = (ranges: ReadonlyMap<string, Range>): ReadonlyMap<string, Span> =>
    new Map([...ranges].map(([name, range]) => [name, places.span(range)]));
  const byNode = (nodes: ReadonlyMap<string, ReadonlyMap<string, Range>>): Spans["calls"] =>
    new Map([...nodes].map(([node, ranges]) => [node, placed(ranges)]));
  return {
    uses: placed(usePlaces(draft)),
    calls: byNode(draft.calls),
    secrets: byNode(draft.secrets),
    subjects: placed(draft.subjects),
  };
}

function sourceMap(draft: Draft, path: string, places: Places): SourceMap {
  const scripts = [...draft.scripts].map(([id, offset]) => {
    const { line, column } = places.position(offset);
    return [id, { line, column }] as const;
  });
  const documents = new Map([...draft.foreign.values()].map(({ document }) => [document, new Places(document.text)]));
  const foreign = [...draft.foreign].map(([id, { document, start }]) => {
    const { line, column } = (documents.get(document) ?? places).position(start);
    return [id, { line, column, file: document.path }] as const;
  });
  return { file: path, scripts: Object.fromEntries([...scripts, ...foreign]) };
}
