import type { Client, Published } from "@woml/client";
import type { Diagnostic } from "@woml/language";
import { accept, type Definition, type Json } from "@woml/model";
import { judged } from "./check.ts";
import { usage } from "./exit.ts";
import { type File, type Surroundings, surroundings } from "./project.ts";
import { readSource, readText, type SourceFile } from "./source.ts";

/** What FILE holds: one WOML source, with what it imports, or with `.json` a definition made elsewhere. */
export type Publishable =
  | { readonly kind: "source"; readonly source: SourceFile; readonly around: Surroundings }
  | { readonly kind: "definition"; readonly definition: Json };

export async function readPublishable(path: string): Promise<Publishable> {
  if (!path.endsWith(".json")) {
    const source = readSource(path);
    return { kind: "source", source, around: await surroundings(source) };
  }
  try {
    return { kind: "definition", definition: JSON.parse(readText(path)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usage(`${path} is not JSON: ${error.message}.`, "WOML_DEFINITION_INVALID");
  }
}

/** What can be said of it without a platform. A definition is judged by the platform alone. */
export const checked = (what: Publishable): readonly Diagnostic[] =>
  what.kind === "source" ? judged(what.source, what.around).diagnostics : [];

/** The document first, then all that it imports. */
export const filesOf = (what: Publishable): readonly File[] => {
  if (what.kind === "definition") return [];
  return [what.source, ...what.around.files].map(({ path, text }) => ({ path, text }));
};

/** null where it is none: the platform then says what is wrong. */
export function definitionOf(what: Publishable): Definition | null {
  if (what.kind === "source") return judged(what.source, what.around).definition;
  const accepted = accept(what.definition);
  return "violations" in accepted ? null : accepted.definition;
}

/** The id of its workflow; "" when it has none, which the platform then refuses. */
export function workflowOf(what: Publishable): string {
  if (what.kind === "source") return judged(what.source, what.around).definition?.workflow.id ?? "";
  const workflow = property(what.definition, "workflow");
  const id = property(workflow, "id");
  return typeof id === "string" ? id : "";
}

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;

export function publish(client: Client, what: Publishable, activate: boolean): Promise<Published> {
  if (what.kind === "definition") return client.publish({ definition: what.definition, activate });
  return client.publish({ files: filesOf(what), activate });
}
