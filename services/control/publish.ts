// Source or definition → checked, accepted, canonical, hashed → stored. Nothing is stored that has an error, and two publishes of the same
// content are one version.
import { compile, type Diagnostic } from "@woml/language";
import { accept, canonical, type Definition, type Json, type Violation } from "@woml/model";
import { showVersionId } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { sha256 } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { acceptSources, type SourceFile } from "./sources.ts";

export interface PublishInput {
  readonly files?: readonly SourceFile[] | null;
  readonly definition?: unknown;
  readonly activate?: boolean | null;
}
interface Published {
  readonly version: string | null;
  readonly created: boolean;
  readonly diagnostics: readonly Diagnostic[];
}
/** What is to be stored, or null when a diagnostic is an error. */
interface Judged {
  readonly diagnostics: readonly Diagnostic[];
  readonly stored: { readonly definition: Definition; readonly source: Json; readonly sourceMap: Json } | null;
}

export async function publish(asking: Asking, input: PublishInput): Promise<Published> {
  const { diagnostics, stored } = judge(input);
  if (stored === null) return { version: null, created: false, diagnostics };
  const definition = canonical(stored.definition as Json);
  const hash = sha256(definition);
  const version = { hash, workflow: stored.definition.workflow.id, definition, source: stored.source, sourceMap: stored.sourceMap };
  const { created } = await withTenant(asking, (scope) => scope.publish(version, input.activate ?? true));
  return { version: showVersionId(hash), created, diagnostics };
}

function judge({ files, definition }: PublishInput): Judged {
  const hasFiles = files !== null && files !== undefined && files.length > 0;
  const hasDefinition = definition !== null && definition !== undefined;
  if (hasFiles === hasDefinition) {
    throw new ApiError("WOML_PUBLISH_INPUT_INVALID", "a publish takes either `files`, at least one, or a `definition`");
  }
  return hasFiles ? judgeFiles(acceptSources(files)) : judgeDefinition(definition);
}

function judgeFiles(files: readonly SourceFile[]): Judged {
  const compiled = files.map((file) => compile(file));
  const diagnostics = [...compiled.flatMap((one) => one.diagnostics), ...surplus(files)];
  const [only] = compiled;
  if (!only?.definition || diagnostics.some(({ severity }) => severity === "error")) return { diagnostics, stored: null };
  const accepted = accept(only.definition);
  if (!("definition" in accepted)) throw new Error("the compiler made a definition that the model does not accept");
  const source = files.map(({ path, text }) => ({ path, text }));
  return { diagnostics, stored: { definition: accepted.definition, source, sourceMap: only.sourceMap as Json } };
}

/** One workflow document makes one version; every further file is said to be too much. */
function surplus(files: readonly SourceFile[]): readonly Diagnostic[] {
  return files.slice(1).map(({ path }) => ({
    file: path,
    code: "WOML_PUBLISH_ONE_WORKFLOW",
    severity: "error",
    message: "a publish takes exactly one workflow document",
    hint: "Publish each workflow by itself.",
    start: null,
    end: null,
  }));
}

function judgeDefinition(value: unknown): Judged {
  const accepted = accept(value);
  if ("violations" in accepted) return { diagnostics: accepted.violations.map(remark), stored: null };
  return { diagnostics: [], stored: { definition: accepted.definition, source: null, sourceMap: null } };
}

function remark({ code, path, message, hint }: Violation): Diagnostic {
  const place = path === "" ? "the whole definition" : path;
  return { file: "definition", code, severity: "error", message: `${place}: ${message}`, hint: hint ?? null, start: null, end: null };
}
