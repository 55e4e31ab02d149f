// What a version has of modules beside its definition, which knows them by digest alone: their texts, and where their sources stand in them.
import type { Diagnostic } from "@woml/language";
import type { Definition, Json } from "@woml/model";
import type { TenantScope } from "@woml/prisma";
import type { Places } from "./place.ts";
import type { Bundles } from "./project.ts";

/** Sources of all modules of a version whose places are kept; a stack names what is beyond by its digest. */
const SECTIONS = 4_096;
/** As sdk/modules bounds those of a document: a definition may name what came with several. */
const MODULES_BYTES = 33_554_432;

/** Of what was sent with a document, the modules that its definition names. */
export function textsOf({ modules = [] }: Definition, bundles: Bundles): readonly { readonly digest: string; readonly text: string }[] {
  return modules.map(({ digest }) => {
    const bundle = bundles.get(digest);
    if (bundle === undefined) throw new Error(`the compiler names a module that it was not given: ${digest}`);
    return { digest, text: bundle.text };
  });
}

/** For the source map of a version, as the engine reads it (services/engine/places.ts): `{digest: [[file, line]]}`. */
export function sectionsOf({ modules = [] }: Definition, bundles: Bundles): Json {
  let left = SECTIONS;
  const entries: (readonly [digest: string, sections: Json])[] = [];
  for (const { digest } of modules) {
    const { sections = [] } = bundles.get(digest) ?? {};
    left -= sections.length;
    if (left >= 0) entries.push([digest, sections.map(({ path, line }) => [path, line])]);
  }
  return Object.fromEntries(entries);
}

/** Modules that a definition made elsewhere names and that are not there: they come with the document that imports them. */
export async function unstored(
  scope: Pick<TenantScope, "modules">,
  { modules = [] }: Definition,
  places: Places,
): Promise<readonly Diagnostic[]> {
  if (modules.length === 0) return [];
  const stored = await scope.modules(modules.map(({ digest }) => digest));
  const bytes = stored.values().reduce((sum, one) => sum + one, 0);
  if (bytes > MODULES_BYTES) return [places.subject(`module:${modules[0]?.digest}`, tooLarge(bytes))];
  return modules.filter(({ digest }) => !stored.has(digest)).map(({ digest }) => places.subject(`module:${digest}`, NOT_STORED));
}

const NOT_STORED = {
  code: "WOML_MODULE_NOT_STORED",
  message: "This module is not stored.",
  hint: "Publish the workflow that imports it, with its files: a definition alone brings no modules.",
};
const tooLarge = (bytes: number) => ({
  code: "WOML_MODULE_SIZE_LIMIT_EXCEEDED",
  message: `The modules of a definition may have ${MODULES_BYTES} bytes together; these have ${bytes}.`,
  hint: "Import less.",
});
