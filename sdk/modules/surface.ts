import { resolve } from "@woml/language/path";
import type { ExportNamedDeclaration, Identifier, ImportDeclaration, Literal, Program } from "acorn";
import type { Fault } from "./diagnostic.ts";
import { blank } from "./lines.ts";
import type { Origin } from "./origin.ts";
import { bound } from "./walk.ts";

/** One import of another source. `from` and `to` are the specifier's place in the original, without its quotes. */
export interface Request {
  readonly specifier: string;
  /** What that means, as the path of a source. */
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** By the name it has here, what is taken of the other: one of its names, or null for all of it. */
  readonly names: readonly { readonly local: string; readonly taken: string | null }[];
}
/** A part of the text that gives way when the sources are joined. Lines and columns of what stays are kept. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
/** What a source asks of others, and what it offers them: by name, what that is called in it. */
export interface Surface {
  readonly requests: readonly Request[];
  readonly offers: ReadonlyMap<string, string>;
  readonly edits: readonly Edit[];
}
interface Draft {
  readonly requests: Request[];
  readonly offers: Map<string, string>;
  readonly edits: Edit[];
  readonly faults: Fault[];
  readonly read: Reading;
}
/** `path`: that of the source. */
interface Reading {
  readonly path: string;
  readonly origin: Origin;
  readonly isEntry: boolean;
  /** That of the program. */
  readonly text: string;
}
type Top = Program["body"][number];

const HINT = "Export each function where it is declared: export function total(order) { … }.";

/** Imports and exports of a module. */
export function read(program: Program, reading: Reading): { readonly surface: Surface; readonly faults: readonly Fault[] } {
  const draft: Draft = { requests: [], offers: new Map(), edits: [], faults: [], read: reading };
  for (const statement of program.body) readStatement(statement, draft);
  const { requests, offers, edits, faults } = draft;
  return { surface: { requests, offers, edits }, faults };
}

function readStatement(statement: Top, draft: Draft): void {
  if (statement.type === "ImportDeclaration") readImport(statement, draft);
  const refusal = refusalOf(statement, draft.read.isEntry);
  if (refusal) refuse(statement, refusal, draft);
  else if (statement.type === "ExportNamedDeclaration") readExport(statement, draft);
}

type Refusal = readonly [code: string, message: string];

/** Why a statement cannot stand in a module, or not in one that a document names. */
function refusalOf(statement: Top, isEntry: boolean): Refusal | null {
  switch (statement.type) {
    case "ImportDeclaration":
      return statement.attributes.length > 0 ? ["WOML_MODULE_IMPORT_UNSUPPORTED", "An import takes no attributes."] : null;
    case "ExportDefaultDeclaration":
      return ["WOML_MODULE_DEFAULT_EXPORT_UNSUPPORTED", "A module has no default export."];
    case "ExportAllDeclaration":
      return ["WOML_MODULE_EXPORT_UNSUPPORTED", "A module does not export all that another one does."];
    case "ExportNamedDeclaration":
      if (statement.source) return ["WOML_MODULE_EXPORT_UNSUPPORTED", "A module does not export what another one declares."];
      return isEntry ? entryRefusal(statement) : null;
    default:
      return null;
  }
}

/** Scripts call what such a module exports: functions, each exported where it is declared. An empty list is how TypeScript marks a module. */
function entryRefusal({ declaration, specifiers }: ExportNamedDeclaration): Refusal | null {
  if (declaration?.type === "FunctionDeclaration") {
    return declaration.generator ? ["WOML_MODULE_GENERATOR_EXPORT_UNSUPPORTED", "A script cannot call a generator of a module."] : null;
  }
  if (declaration) return ["WOML_MODULE_EXPORT_UNSUPPORTED", "A module that a document names exports functions alone."];
  return specifiers.length > 0
    ? ["WOML_MODULE_EXPORT_UNSUPPORTED", "A module exports functions where it declares them, not in a list."]
    : null;
}

function readImport({ source, specifiers, start, end }: ImportDeclaration, { requests, edits, read: { path, origin, text } }: Draft): void {
  const specifier = String(source.value);
  const from = origin.offset(source.start + 1, specifier);
  const names = specifiers.map((name) => ({ local: name.local.name, taken: takenBy(name) }));
  requests.push({ specifier, path: resolve(path, specifier), from, to: from + specifier.length, names });
  edits.push({ start, end, text: gone(text, start, end) });
}

function takenBy(specifier: ImportDeclaration["specifiers"][number]): string | null {
  if (specifier.type === "ImportNamespaceSpecifier") return null;
  return specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : "default";
}

function readExport({ declaration, specifiers, start, end }: ExportNamedDeclaration, { offers, edits, read: { text } }: Draft): void {
  for (const { local, exported } of specifiers) offers.set(nameOf(exported), nameOf(local));
  if (declaration) for (const name of declaredBy(declaration)) offers.set(name, name);
  edits.push(
    declaration
      ? { start, end: declaration.start, text: blank(text.slice(start, declaration.start)) }
      : { start, end, text: gone(text, start, end) },
  );
}

/** What stands where a statement was. */
const gone = (text: string, start: number, end: number): string => `;${blank(text.slice(start + 1, end))}`;

const declaredBy = (declaration: NonNullable<ExportNamedDeclaration["declaration"]>): readonly string[] =>
  declaration.type === "VariableDeclaration" ? declaration.declarations.flatMap(({ id }) => [...bound(id)]) : [declaration.id.name];

function refuse({ type, start }: Top, [code, message]: Refusal, { faults, read: { origin } }: Draft): void {
  const word = type === "ImportDeclaration" ? "import" : "export";
  const from = origin.offset(start, word);
  faults.push({ code, message, hint: HINT, start: from, end: from + word.length });
}

const nameOf = (name: Identifier | Literal): string => (name.type === "Identifier" ? name.name : String(name.value));
