import { textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** A `.woml` that is imported can be read, and defines something to import. */
export const importedSource: Rule =
  (findings, { imports }) =>
  (element) => {
    if (element.name !== "module") return;
    const imported = imports.reusables.get(textOf(element, "name") ?? "");
    // Of two imports with one name only the first has been read.
    if (imported?.fault && imported.from === element.attributes.get("from")) findings.onValue(imported.from, imported.fault);
  };
