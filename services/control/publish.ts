// Source or definition → checked, accepted, seen to be what is run today, bound, canonical, hashed → stored. Nothing is stored that has an error, and
// two publishes of the same content are one version.
import { compile, type Diagnostic } from "@woml/language";
import { accept, canonical, type Definition, type Json, type Violation } from "@woml/model";
import { showVersionId } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { bind } from "./bind.ts";
import { sha256 } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { notExecutable } from "./executable.ts";
import { type Places, placesInDefinition, placesInSource } from "./place.ts";
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
/** What is to be bound and stored, or null when a diagnostic is an error. */
interface Judged {
  readonly diagnostics: readonly Diagnostic[];
  readonly sound: { readonly definition: Definition; readonly source: Json; readonly sourceMap: Json; readonly places: Places } | null;
}

export async function publish(asking: Asking, input: PublishInput): Promise<Published> {
  const { diagnostics: found, sound } = judge(input);
  if (sound === null) return { version: null, created: false, diagnostics: found };
  const { source, sourceMap, places } = sound;
  return withTenant(asking, async (scope) => {
    const bound = await bind(scope, sound.definition, places);
    const diagnostics = inOrder([...found, ...notExecutable(sound.definition, places), ...bound.diagnostics]);
    if (diagnostics.some(isError)) return { version: null, created: false, diagnostics };
    const definition = canonical(bound.definition as Json);
    const hash = sha256(definition);
    const version = { hash, workflow: bound.definition.workflow.id, definition, source, sourceMap };
    const { created } = await scope.publish(version, input.activate ?? true);
    return { version: showVersionId(hash), created, diagnostics };
  });
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** As the compiler sorts its own; what has no place comes last. */
const inOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.toSorted((a, b) => (a.start?.offset ?? Number.MAX_VALUE) - (b.start?.offset ?? Number.MAX_VALUE));

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
  if (diagnostics.some(isError)) return { diagnostics, sound: null };
  if (!only?.definition || !only.spans) return { diagnostics: [...diagnostics, notRunnable(files[0]?.path ?? "")], sound: null };
  const accepted = accept(only.definition);
  if (!("definition" in accepted)) throw new Error("the compiler made a definition that the model does not accept");
  const source = files.map(({ path, text }) => ({ path, text }));
  const places = placesInSource(files[0]?.path ?? "", only.spans);
  return { diagnostics, sound: { definition: accepted.definition, source, sourceMap: only.sourceMap as Json, places } };
}

const notRunnable = (file: string): Diagnostic => ({
  ...{ file, code: "WOML_DEFINITION_NOT_RUNNABLE", severity: "error", start: null, end: null },
  message: "this document defines no workflow, but something that workflows import",
  hint: "Publish the workflow that imports it.",
});

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
  if ("violations" in accepted) return { diagnostics: accepted.violations.map(remark), sound: null };
  const places = placesInDefinition(value);
  return { diagnostics: [], sound: { definition: accepted.definition, source: null, sourceMap: null, places } };
}

function remark({ code, path, message, hint }: Violation): Diagnostic {
  const place = path === "" ? "the whole definition" : path;
  return { file: "definition", code, severity: "error", message: `${place}: ${message}`, hint: hint ?? null, start: null, end: null };
}
