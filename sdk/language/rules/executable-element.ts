import { notExecutable } from "../feature.ts";
import { formOf, isLater } from "../grammar.ts";
import { quoted } from "../source.ts";
import { childrenNamed, elementsOf } from "../tree.ts";
import type { Rule } from "../visit.ts";

const HINTS: ReadonlyMap<string, string> = new Map([
  ["branch", "Use <choose> with an id."],
  ["fork", "Use <parallel> for steps that run side by side."],
  ["module", "Write its functions into the scripts. What acts on the world is a capability: <uses>."],
  ["switch", "Use <choose> with an id; compute the tests in a step."],
]);
const CHOOSE_HINT = "Give it an id, and end each of its arms with a <result>.";
const TRIGGERS_HINT = 'Add <triggers><manual id="start" /></triggers>.';

/** Elements of WOML 1.0 that this version does not run: refused by name, never ignored. */
export const executableElement: Rule = (findings) => (element) => {
  const { name } = element;
  if (isLater(name)) findings.refuse(element, notExecutable(`<${name}>`, HINTS.get(name)));
  else if (!formOf(name)) findings.refuse(element, notExecutable(`The imported tag ${quoted(name)}`));
  else if (name === "choose" && !element.attributes.has("id"))
    findings.refuse(element, notExecutable("<choose> without an id", CHOOSE_HINT));
};

/** A workflow without triggers can only be called by another. */
export const executableWorkflow: Rule = (findings) => (element) => {
  if (element.name !== "workflow" || childrenNamed(element, "triggers").length > 0) return;
  if (elementsOf(element).some((child) => child.name.toLowerCase() === "triggers")) return;
  findings.add(element.openRange, notExecutable("A workflow without <triggers>", TRIGGERS_HINT));
};
