import { childrenNamed, type Element, textOf } from "./tree.ts";

const imported = (root: Element, kind: "module" | "uses", attribute: "name" | "as"): ReadonlySet<string> =>
  new Set(
    childrenNamed(root, "imports")
      .flatMap((imports) => childrenNamed(imports, kind))
      .flatMap((element) => textOf(element, attribute) ?? []),
  );

/** What the modules of a document stand for, as tags or in scripts: not unknown, only not executable yet. */
export const moduleNames = (root: Element): ReadonlySet<string> => imported(root, "module", "name");

/** The names that the document gives to capabilities, whatever else may be wrong with them. */
export const aliases = (root: Element): ReadonlySet<string> => imported(root, "uses", "as");
