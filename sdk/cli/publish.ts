import type { Client, Published } from "@woml/client";
import { compile, type Diagnostic } from "@woml/language";
import type { Json } from "@woml/model";
import { check } from "./check.ts";
import { usage } from "./exit.ts";
import { readSource, readText, type SourceFile } from "./source.ts";

/** What FILE holds: one WOML source, or with `.json` a definition made elsewhere. */
export type Publishable =
  | { readonly kind: "source"; readonly source: SourceFile }
  | { readonly kind: "definition"; readonly definition: Json };

export function readPublishable(path: string): Publishable {
  if (!path.endsWith(".json")) return { kind: "source", source: readSource(path) };
  try {
    return { kind: "definition", definition: JSON.parse(readText(path)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usage(`${path} is not JSON: ${error.message}.`, "WOML_DEFINITION_INVALID");
  }
}

/** What can be said of it without a platform. A definition is judged by the platform alone. */
export const checked = (what: Publishable): readonly Diagnostic[] => (what.kind === "source" ? check([what.source]) : []);

export const sourcesOf = (what: Publishable): readonly SourceFile[] => (what.kind === "source" ? [what.source] : []);

/** The id of its workflow; "" when it has none, which the platform then refuses. */
export function workflowOf(what: Publishable): string {
  if (what.kind === "source") return compile(what.source).definition?.workflow.id ?? "";
  const workflow = property(what.definition, "workflow");
  const id = property(workflow, "id");
  return typeof id === "string" ? id : "";
}

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;

export function publish(client: Client, what: Publishable, activate: boolean): Promise<Published> {
  if (what.kind === "definition") return client.publish({ definition: what.definition, activate });
  const { path, text } = what.source;
  return client.publish({ files: [{ path, text }], activate });
}
