import type { Compiled, Diagnostic } from "@woml/language";
import { type Asking, withTenant } from "./asking.ts";
import { bind } from "./bind.ts";
import { ApiError } from "./errors.ts";
import { placesInSource } from "./place.ts";
import { printable } from "./printable.ts";
import type { SourceFile } from "./project.ts";
import { scriptsOf } from "./scripts.ts";
import { compiled } from "./workshop.ts";

export const FILES_MAX = 100;
const PATH = printable(1_024);

export function acceptSources(files: readonly SourceFile[]): readonly SourceFile[] {
  if (files.length > FILES_MAX) {
    throw new ApiError("WOML_SOURCES_INVALID", `${files.length} files; at most ${FILES_MAX} are taken`, {
      limit: FILES_MAX,
      actual: files.length,
    });
  }
  files.forEach(({ path }, at) => {
    if (!PATH.test(path)) {
      throw new ApiError("WOML_SOURCES_INVALID", `the path of file ${at + 1} has to be 1 to 1,024 printable characters`, {
        path: `/files/${at}/path`,
      });
    }
  });
  return files;
}

/** What the language has to say of each file, in their order, and the platform of what a tenant may use. */
export async function check(asking: Asking, files: readonly SourceFile[]): Promise<readonly Diagnostic[]> {
  const { documents } = await compiled({ of: "check", files: acceptSources(files) });
  if (asking.who.scope === "admin" || !documents.some(asksThePlatform))
    return distinct(documents.flatMap(({ diagnostics }) => diagnostics));
  return withTenant(asking, async (scope) => {
    const found: Diagnostic[] = [];
    for (const { file, definition, spans, diagnostics } of documents) {
      const path = files[file]?.path ?? "";
      const bound = definition && spans ? await bind(scope, definition, placesInSource(path, spans)) : null;
      found.push(...diagnostics, ...(bound?.diagnostics ?? []));
    }
    return distinct(found);
  });
}

/** What two documents import is judged with each, and if it is a document by itself too. */
function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ file, code, message, start }: Diagnostic): string => JSON.stringify([file, code, message, start?.offset]);
  return [...new Map(diagnostics.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}

function asksThePlatform({ definition }: Compiled): boolean {
  if (!definition) return false;
  return definition.uses !== undefined || scriptsOf(definition).some(({ secrets }) => secrets.length > 0);
}
