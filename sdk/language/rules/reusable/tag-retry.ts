import { isStepTag } from "../../tag.ts";
import type { Rule } from "../../visit.ts";
import { checkRetry } from "../flow/retry.ts";

/** A step that is written as a tag is tried again as any other. */
export const tagRetry: Rule = (findings, document) => (element) => {
  if (isStepTag(element, document)) checkRetry(element, findings);
};
