import { childrenNamed, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { isForeign } from "../document/placement.ts";
import { HINT } from "./approval-arms.ts";

/** Who is told stands before what is decided, and once. */
export const notifyFirst: Rule = (findings, document) => (element) => {
  if (element.name !== "approval") return;
  const [first, second] = childrenNamed(element, "notify");
  const misplaced = second ?? (first && elementsOf(element).find((child) => !isForeign(child, document)) !== first ? first : undefined);
  if (!misplaced) return;
  const message = second ? "The approval has more than one <notify>." : "<notify> is not the first in its approval.";
  findings.add(misplaced.openRange, { code: "WOML_NOTIFY_INVALID_ORDER", message, hint: HINT });
};
