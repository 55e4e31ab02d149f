import { accept, type Definition } from "@woml/model";
import { judged } from "./check.ts";
import { explained, hasError } from "./diagnostics.ts";
import { filesOf, readPublishable } from "./publish.ts";

/** The definition that a file holds, or all that is wrong with it. */
export async function definitionIn(path: string): Promise<{ readonly definition: Definition } | { readonly remarks: string }> {
  const what = await readPublishable(path);
  if (what.kind === "source") {
    const { definition, diagnostics } = judged(what.source, what.around);
    if (definition !== null && !hasError(diagnostics)) return { definition };
    return { remarks: explained(diagnostics, filesOf(what)).join("\n\n") };
  }
  const accepted = accept(what.definition);
  if (!("violations" in accepted)) return { definition: accepted.definition };
  return { remarks: accepted.violations.map(({ code, path: at, message }) => `${code}: ${at}: ${message}`).join("\n") };
}
