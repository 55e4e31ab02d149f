import type { Rule } from "../../visit.ts";

/** A module can be read. What is wrong with its text is said of its own file. */
export const readableModule: Rule =
  (findings, { imports }) =>
  (element) => {
    const from = element.name === "module" ? element.attributes.get("from") : undefined;
    const remark = from && imports.absent.get(from);
    if (from && remark) findings.onValue(from, remark);
  };
