import type { Remark } from "../../diagnostic.ts";
import { formOf } from "../../grammar.ts";
import { tagOf } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** A tag stands where a definition of its kind may be used. What an unusable import would have defined is not known. */
export const tagPlacement: Rule = (findings, document) => (element) => {
  const kind = tagOf(element, document)?.definition?.kind;
  const { name, parent } = element;
  if (kind === "step" && !takesSteps(parent)) findings.refuse(element, step(name));
  if (kind === "provider" && parent?.name !== "notify") findings.refuse(element, provider(name));
};

const takesSteps = (parent: Element | null): boolean =>
  parent !== null && parent.name !== "woml" && formOf(parent)?.children.includes("step") === true;

const step = (name: string): Remark => ({
  code: "WOML_REUSABLE_STEP_PLACEMENT_INVALID",
  message: `<${name}> is a step, and no step may stand here.`,
  hint: "Put it where a <step> may stand: into <steps>, an arm, a branch, a loop or <parallel>.",
});
const provider = (name: string): Remark => ({
  code: "WOML_REUSABLE_PROVIDER_PLACEMENT_INVALID",
  message: `<${name}> is a notification provider, and stands in <notify> alone.`,
  hint: "Put it into the <notify> of an approval or of a hook.",
});
