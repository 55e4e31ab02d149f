// Source or definition → checked, accepted, seen to be what is run today, bound, canonical, hashed → stored. Nothing is stored that has an error, and
// two publishes of the same content are one version.
import type { Diagnostic } from "@woml/language";
import { accept, canonical, type Definition, type Json, type Violation } from "@woml/model";
import { showVersionId } from "@woml/run";
import { activate } from "./activation.ts";
import { type Asking, withTenant } from "./asking.ts";
import { bind } from "./bind.ts";
import { sha256 } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { notExecutable } from "./executable.ts";
import { sectionsOf, textsOf, unstored } from "./modules.ts";
import { type Places, placesInDefinition, placesInSource } from "./place.ts";
import type { SourceFile } from "./project.ts";
import { acceptSources } from "./sources.ts";
import { unsoundSchemas } from "./trigger-schemas.ts";
import { compiled as compiledOf } from "./workshop.ts";

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
  readonly sound: {
    readonly definition: Definition;
    readonly source: Json;
    readonly sourceMap: Json;
    /** Texts of the modules that came with it; null: it has to be seen that they are stored. */
    readonly modules: ReturnType<typeof textsOf> | null;
    readonly file: string;
    readonly places: Places;
  } | null;
}

export async function publish(asking: Asking, input: PublishInput): Promise<Published> {
  const { diagnostics: found, sound } = await judge(input);
  if (sound === null) return { version: null, created: false, diagnostics: found };
  const { source, sourceMap, modules, places } = sound;
  return withTenant(asking, async (scope) => {
    const bound = await bind(scope, sound.definition, places);
    const lacking = modules === null ? await unstored(scope, sound.definition, places) : [];
    const said = [...found, ...notExecutable(sound.definition, places), ...bound.diagnostics, ...lacking];
    const diagnostics = inOrder(said, sound.file);
    if (diagnostics.some(isError)) return { version: null, created: false, diagnostics };
    const definition = canonical(bound.definition as Json);
    const hash = sha256(definition);
    const version = { hash, workflow: bound.definition.workflow.id, definition, source, sourceMap, modules: modules ?? [] };
    const { created } = await scope.publish(version);
    if (input.activate ?? true) await activate(scope, { workflow: version.workflow, hash, definition: bound.definition });
    return { version: showVersionId(hash), created, diagnostics };
  });
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** As the compiler sorts its own; what has no place comes last, and what is said of other files than the document behind it. */
function inOrder(diagnostics: readonly Diagnostic[], document: string): readonly Diagnostic[] {
  const rank = ({ file, start }: Diagnostic): number => {
    return file === document ? (start?.offset ?? Number.MAX_SAFE_INTEGER) : Number.MAX_VALUE;
  };
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

async function judge({ files, definition }: PublishInput): Promise<Judged> {
  const hasFiles = files !== null && files !== undefined && files.length > 0;
  const hasDefinition = definition !== null && definition !== undefined;
  if (hasFiles === hasDefinition) {
    throw new ApiError("WOML_PUBLISH_INPUT_INVALID", "a publish takes either `files`, at least one, or a `definition`");
  }
  return hasFiles ? judgeFiles(acceptSources(files)) : judgeDefinition(definition);
}

/** One workflow, and what it imports. */
async function judgeFiles(files: readonly SourceFile[]): Promise<Judged> {
  const made = await compiledOf({ of: "publish", files });
  const [compiled] = made.documents;
  const main = files[compiled?.file ?? 0];
  if (!main || !compiled) throw new Error("a publish without files has passed");
  const others = files.flatMap((file, at) => {
    if (made.used.includes(at)) return [];
    return [made.workflows.includes(at) ? surplus(file) : unused(file)];
  });
  const diagnostics = [...compiled.diagnostics, ...others];
  if (diagnostics.some(isError)) return { diagnostics, sound: null };
  if (!compiled.definition || !compiled.spans) return { diagnostics: [...diagnostics, notRunnable(main.path)], sound: null };
  const accepted = accept(compiled.definition);
  if (!("definition" in accepted)) throw new Error("the compiler made a definition that the model does not accept");
  const source = files.map(({ path, text }) => ({ path, text }));
  const places = placesInSource(main.path, compiled.spans);
  const { definition } = accepted;
  const sourceMap = { ...(compiled.sourceMap as object), ...(definition.modules ? { modules: sectionsOf(definition, made.bundles) } : {}) };
  return { diagnostics, sound: { definition, source, sourceMap, modules: textsOf(definition, made.bundles), file: main.path, places } };
}

const notRunnable = (file: string): Diagnostic => ({
  ...{ file, code: "WOML_DEFINITION_NOT_RUNNABLE", severity: "error", start: null, end: null },
  message: "this document defines no workflow, but something that workflows import",
  hint: "Publish the workflow that imports it.",
});

/** One workflow document makes one version; every further one is said to be too much. */
const surplus = ({ path: file }: SourceFile): Diagnostic => ({
  ...{ file, code: "WOML_PUBLISH_ONE_WORKFLOW", severity: "error", start: null, end: null },
  message: "a publish takes exactly one workflow document",
  hint: "Publish each workflow by itself.",
});

const unused = ({ path: file }: SourceFile): Diagnostic => ({
  ...{ file, code: "WOML_PUBLISH_FILE_UNUSED", severity: "warning", start: null, end: null },
  message: "nothing imports this file by its path: it is stored with the source, and is no part of the version",
  hint: "Leave it out, or import it.",
});

function judgeDefinition(value: unknown): Judged {
  const accepted = accept(value);
  if ("violations" in accepted) return { diagnostics: accepted.violations.map(remark), sound: null };
  const unsound = unsoundSchemas(accepted.definition);
  if (unsound.length > 0) return { diagnostics: unsound, sound: null };
  const places = placesInDefinition(value);
  return {
    diagnostics: [],
    sound: { definition: accepted.definition, source: null, sourceMap: null, modules: null, file: "definition", places },
  };
}

function remark({ code, path, message, hint }: Violation): Diagnostic {
  const place = path === "" ? "the whole definition" : path;
  return { file: "definition", code, severity: "error", message: `${place}: ${message}`, hint: hint ?? null, start: null, end: null };
}
