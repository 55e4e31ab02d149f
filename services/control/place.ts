// Where a remark about a definition stands: in the source it was compiled from, or in the JSON that was published.
import type { Diagnostic, Spans } from "@woml/language";
import { type Definition, unsupported } from "@woml/model";
import { type PlacedScript, scriptsOf } from "./scripts.ts";

/** A remark that has no place yet. */
export interface Told {
  readonly code: string;
  readonly severity?: "warning";
  readonly message: string;
  readonly hint: string;
}
export interface Places {
  use(alias: string, told: Told): Diagnostic;
  call(by: PlacedScript, call: string, told: Told): Diagnostic;
  secret(by: PlacedScript, name: string, told: Told): Diagnostic;
  /** What `unsupported` (sdk/model) names, and `module:<digest>`. */
  subject(subject: string, told: Told): Diagnostic;
}

export function placesInSource(file: string, spans: Spans): Places {
  const at = (told: Told, span: { readonly start: Diagnostic["start"]; readonly end: Diagnostic["end"] } | undefined): Diagnostic => ({
    file,
    code: told.code,
    severity: told.severity ?? "error",
    message: told.message,
    hint: told.hint,
    start: span?.start ?? null,
    end: span?.end ?? null,
  });
  return {
    use: (alias, told) => at(told, spans.uses.get(alias)),
    call: ({ owner }, call, told) => at(told, spans.calls.get(owner)?.get(call)),
    secret: ({ owner }, name, told) => at(told, spans.secrets.get(owner)?.get(name)),
    subject: (subject, told) => at(told, spans.subjects.get(subject)),
  };
}

/** By pointers into the value as it was given, which has been accepted; what was accepted of it is sorted. */
export function placesInDefinition(given: unknown): Places {
  const definition = given as Definition;
  const { uses } = definition;
  const scripts = new Map([...scriptsOf(definition)].map((script) => [script.name, script]));
  const modules = (definition.modules ?? []).map(({ digest }, at) => [`module:${digest}`, `/modules/${at}`] as const);
  const triggers = definition.triggers.map(({ id }, at) => [`trigger:${id}`, `/triggers/${at}`] as const);
  const subjects = new Map([...modules, ...triggers, ...unsupported(definition).map(({ subject, path }) => [subject, path] as const)]);
  const at = (told: Told, pointer: string): Diagnostic => ({
    ...{ file: "definition", code: told.code, severity: told.severity ?? "error" },
    ...{ message: `${pointer}: ${told.message}`, hint: told.hint, start: null, end: null },
  });
  const asGiven = (by: PlacedScript): PlacedScript => scripts.get(by.name) ?? by;
  return {
    use: (alias, told) => at(told, `/uses/${uses?.findIndex((use) => use.alias === alias)}`),
    call: (by, _, told) => at(told, `${asGiven(by).pointer}/calls`),
    secret: (by, secret, told) => at(told, asGiven(by).secrets.find(({ name }) => name === secret)?.pointer ?? asGiven(by).pointer),
    subject: (subject, told) => at(told, subjects.get(subject) ?? ""),
  };
}
