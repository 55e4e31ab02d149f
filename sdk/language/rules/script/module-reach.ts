import type { Remark } from "../../diagnostic.ts";
import { moduleReach } from "../../script/module.ts";
import { isService, splitCall } from "../../script/reach.ts";
import { quoted } from "../../source.ts";
import { textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** What a module calls is offered to it where its text says what that is. */
export const knownReach: Rule = (findings, document) => (element) => {
  if (element.name !== "module") return;
  const [alias, from] = [textOf(element, "name"), element.attributes.get("from")];
  const bundle = document.imports.modules.get(alias ?? "");
  if (!bundle || !from || !findings.isSound(from)) return;
  const { calls, isOpen } = moduleReach(bundle);
  const [unknown] = [...calls].filter((call) => !isKnown(splitCall(call)[0]));
  if (unknown !== undefined) findings.add(from.valueRange, notThere(splitCall(unknown)[0]));
  if (isOpen) findings.add(from.valueRange, OPEN);

  function isKnown(service: string): boolean {
    return isService(service, document.imports) || document.imports.modules.has(service);
  }
};

const notThere = (alias: string): Remark => ({
  code: "WOML_MODULE_SERVICE_UNKNOWN",
  severity: "warning",
  message: `The module calls services.${alias}, and nothing here is called ${quoted(alias)}: it throws.`,
  hint: 'Name the capability in <imports>: <uses capability="…" version="^1" as="…" />.',
});
const OPEN: Remark = {
  code: "WOML_SCRIPT_SERVICE_ACCESS_UNSUPPORTED",
  severity: "warning",
  message: "The module uses services in a way of which nobody can tell what it calls: what is not written out is not there when it runs.",
  hint: "Write the whole call where it is made: services.<alias>.<operation>(input).",
};
