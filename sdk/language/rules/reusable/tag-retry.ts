import { isStepTag, tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";
import { checkRetry } from "../flow/retry.ts";
import { OF_STEP } from "./props.ts";

/** A step that is written as a tag is tried again as any other. */
export const tagRetry: Rule = (findings, document) => (element) => {
  if (!isStepTag(element, document)) return;
  const props = tagOf(element, document)?.definition?.props;
  const isMisnamed = props !== undefined && [...element.attributes.keys()].some((name) => !OF_STEP.has(name) && !props.has(name));
  checkRetry(element, findings, isMisnamed);
};
