import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { FLOW, formOf, isElementName } from "../../grammar.ts";
import { HOOKS } from "../../hook.ts";
import { isTag } from "../../tag.ts";
import { childrenNamed, type Element, elementsOf } from "../../tree.ts";

/** What a child is called that its parent does not take; `<grandparent>/<parent>` where the parent is another one below it. */
const BY_PARENT: ReadonlyMap<string, Code> = new Map<string, Code>([
  ["woml", "WOML_DOCUMENT_STRUCTURE_INVALID"],
  ["imports", "WOML_IMPORTS_INVALID_CHILD"],
  ["props", "WOML_PROPS_INVALID_CHILD"],
  ["prop", "WOML_PROP_NOT_EMPTY"],
  ["config", "WOML_CONFIG_CHILD_NOT_ALLOWED"],
  ["triggers", "WOML_TRIGGER_UNSUPPORTED"],
  ["webhook", "WOML_WEBHOOK_STRUCTURE_INVALID"],
  ["webhook/schema", "WOML_WEBHOOK_SCHEMA_STRUCTURE_INVALID"],
  ["event", "WOML_EVENT_STRUCTURE_INVALID"],
  ["event/schema", "WOML_EVENT_SCHEMA_STRUCTURE_INVALID"],
  ["lifecycle", "WOML_LIFECYCLE_ACTION_INVALID"],
  ...[...HOOKS.keys()].map((hook): [string, Code] => [hook, "WOML_LIFECYCLE_ACTION_INVALID"]),
  ["notify", "WOML_NOTIFY_UNSUPPORTED_PROVIDER"],
  ["parallel", "WOML_PARALLEL_CHILD_UNSUPPORTED"],
  ["switch", "WOML_SWITCH_STRUCTURE_INVALID"],
  ["fork", "WOML_FORK_CHILD_INVALID"],
  ["fork/branch", "WOML_FORK_BRANCH_CHILD_INVALID"],
  ["approval", "WOML_APPROVAL_STRUCTURE_INVALID"],
]);
/** What an element is called where its parent has no code of its own. */
const BY_CHILD: ReadonlyMap<string, Code> = new Map<string, Code>([
  ["case", "WOML_SWITCH_ARM_PLACEMENT_INVALID"],
  ["default", "WOML_SWITCH_ARM_PLACEMENT_INVALID"],
  ["when-approved", "WOML_APPROVAL_PLACEMENT_INVALID"],
  ["when-rejected", "WOML_APPROVAL_PLACEMENT_INVALID"],
]);

/** The one table of what an element in the wrong place is told; null where it may stand. */
export function misplaced(element: Element, parent: Element, isWorkflow: boolean): Remark | null {
  if (isWorkflow && element.name === "props" && parent.name !== "imports") return PROPS;
  if (isWorkflow && element.name === "lifecycle" && parent.name === "woml") return foreign(element, parent);
  if (element.name === "approval" && parent.name === "parallel") return APPROVAL;
  if (!formOf(parent)?.children.includes(element.name)) return foreign(element, parent);
  if (element.name === "schema" && childrenNamed(parent, "schema")[0] !== element) return second(element, parent);
  if (element.name === "branch" && parent.name !== "fork") return isRouteOutside(element) ? ROUTE : null;
  return NESTED.has(element.name) ? nested(element) : null;
}

/** Whether a child has no place where it stands: that is said of it alone, and nothing of the order of those beside it. */
export function isForeign(child: Element, document: Document): boolean {
  if (!child.parent || isTag(child, document)) return false;
  return !isElementName(child.name) || misplaced(child, child.parent, true) !== null;
}

function foreign(element: Element, parent: Element): Remark {
  // Outside a fork a branch is an older word, for which there is a warning.
  const takes = (formOf(parent)?.children ?? []).filter((name) => name !== "branch" || parent.name === "fork");
  return {
    code: codeIn(parent) ?? BY_CHILD.get(element.name) ?? "WOML_INVALID_STRUCTURE",
    message: `<${element.name}> may not stand in <${parent.name}>.`,
    hint: takes.length > 0 ? `It takes ${takes.map((name) => `<${name}>`).join(", ")}.` : `<${parent.name}> holds no elements.`,
  };
}

const second = (element: Element, parent: Element): Remark => ({
  code: codeIn(parent) ?? "WOML_INVALID_STRUCTURE",
  message: `A second <${element.name}> in <${parent.name}>.`,
  hint: "Keep one of them.",
});

const codeIn = (parent: Element): Code | undefined => BY_PARENT.get(`${parent.parent?.name}/${parent.name}`) ?? BY_PARENT.get(parent.name);

const PROPS: Remark = {
  code: "WOML_PROPS_WORKFLOW_FORBIDDEN",
  message: "A workflow has no <props>.",
  hint: "Props belong to reusable definitions. A workflow reads its input from context.payload.",
};
const APPROVAL: Remark = {
  code: "WOML_APPROVAL_PLACEMENT_INVALID",
  message: "An approval may not stand in <parallel>.",
  hint: "Put it before or behind the group, or into the branch of a <fork>.",
};
const ROUTE: Remark = {
  code: "WOML_FORK_BRANCH_PLACEMENT_INVALID",
  message: "This <branch> stands in no fork.",
  hint: "Put it directly into a <fork>. For a choice write <choose> with <when> and <otherwise>.",
};

/** A `<branch>` with items is one of a fork; an older choice has arms. */
function isRouteOutside(element: Element): boolean {
  const names = elementsOf(element).map(({ name }) => name);
  return names.some((name) => FLOW.includes(name)) && !names.some((name) => name === "when" || name === "otherwise");
}

const NESTED: ReadonlySet<string> = new Set(["fork", "for-each", "approval"]);

/** No fork in a branch, and none of the three in a loop, however deep. The nearest around it is to blame. */
function nested(element: Element): Remark | null {
  for (let around = element.parent; around; around = around.parent) {
    if (around.name === "for-each") return inLoop(element);
    if (around.name === "fork" && element.name === "fork") return FORK;
  }
  return null;
}

const inLoop = ({ name }: Element): Remark => ({
  code: "WOML_FOR_EACH_NESTING_UNSUPPORTED",
  message: `<${name}> may not stand in a loop.`,
  hint: "Put it before or behind the loop, or start a workflow of its own for each item with services.workflows.",
});
const FORK: Remark = {
  code: "WOML_FORK_NESTED_UNSUPPORTED",
  message: "A fork may not stand in the branch of another.",
  hint: "Make its branches branches of the outer fork, or put them behind it.",
};
