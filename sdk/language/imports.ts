import { isCode } from "./codes.ts";
import type { Diagnostic, Remark } from "./diagnostic.ts";
import type { Imported, Imports } from "./document.ts";
import type { Library, ReadAt } from "./library.ts";
import { resolve } from "./path.ts";
import type { Absent } from "./project.ts";
import { quoted } from "./source.ts";
import { type Attribute, childrenNamed, type Element, textOf } from "./tree.ts";

/** How imported documents are read. */
interface Reader {
  readonly library: Library;
  readonly readAt: ReadAt;
}

/** What `<imports>` names, sound or not: what is wrong with it is said by the rules. */
export function readImports(root: Element, path: string, { library, readAt }: Reader): Imports {
  const uses = new Set<string>();
  const modules = new Map<string, Imports["modules"] extends ReadonlyMap<string, infer M> ? M : never>();
  const reusables = new Map<string, Imported>();
  const absent = new Map<Attribute, Remark>();
  const told: Diagnostic[] = [];
  for (const element of childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "uses"))) {
    const alias = textOf(element, "as");
    if (alias !== undefined) uses.add(alias);
  }
  for (const element of moduleElements(root)) {
    const [alias, from] = [textOf(element, "name"), element.attributes.get("from")];
    if (alias === undefined || modules.has(alias) || reusables.has(alias)) continue;
    if (from?.value?.endsWith(".woml")) {
      const taken = library.take(resolve(path, from.value), readAt);
      reusables.set(alias, { alias, from, ...("definition" in taken ? { ...taken, fault: null } : { definition: null, ...taken }) });
    } else {
      const at = resolve(path, from?.value ?? "");
      const built = library.project.modules.get(at);
      modules.set(alias, built && "digest" in built ? built : null);
      if (!built || "code" in built) {
        if (from) absent.set(from, built ? unreadable(built) : missing(at));
      } else if (!("digest" in built)) told.push(...built);
    }
  }
  return { uses, modules, absent, told, reusables };
}

const missing = (path: string): Remark => ({
  code: "WOML_MODULE_FILE_NOT_FOUND",
  message: `There is no file ${quoted(path)}.`,
  hint: "Correct the path: it is taken from the folder of this document.",
});

const unreadable = ({ code, message, hint }: Absent): Remark => ({
  code: isCode(code) ? code : "WOML_MODULE_FILE_NOT_READABLE",
  message,
  hint,
});

const SEGMENT = /^[A-Za-z0-9._-]+$/;
const FILE = /^.+\.(?:js|ts|woml)$/;

/** Whether a `from` is of the form that the language takes: `./lib/prices.ts`. */
export function isModulePath(from: string): boolean {
  const [first, ...rest] = from.split("/");
  return (
    (first === "." || first === "..") && rest.length > 0 && rest.every((segment) => SEGMENT.test(segment)) && FILE.test(rest.at(-1) ?? "")
  );
}

/**
 * The `from` of every module a document imports, resolved: what a project must hold for it. What is refused as a path is not read either:
 * it may lead to any file, and what is said of a file shows a part of it.
 */
export const importedPaths = (root: Element, path: string): readonly string[] =>
  moduleElements(root).flatMap((element) => {
    const from = textOf(element, "from");
    return from === undefined || !isModulePath(from) ? [] : [resolve(path, from)];
  });

const moduleElements = (root: Element): readonly Element[] =>
  childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "module"));
