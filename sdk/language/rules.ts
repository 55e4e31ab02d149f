import { DOCUMENT_GATES, DOCUMENT_RULES } from "./rules/document.ts";
import { FLOW_GATES, FLOW_RULES } from "./rules/flow.ts";
import { LIFECYCLE_GATES, LIFECYCLE_RULES } from "./rules/lifecycle.ts";
import { REUSABLE_GATES, REUSABLE_RULES } from "./rules/reusable.ts";
import { SCRIPT_RULES } from "./rules/script.ts";
import { TRIGGER_RULES } from "./rules/trigger.ts";
import type { Rule } from "./visit.ts";

/** Whether an element belongs where it stands. The order is that of precedence. */
export const GATES: readonly Rule[] = [...LIFECYCLE_GATES, ...DOCUMENT_GATES, ...FLOW_GATES, ...REUSABLE_GATES];

/** What an element that does must keep to. An attribute that one rule has reported is of no interest to the next. */
export const RULES: readonly Rule[] = [
  ...DOCUMENT_RULES,
  ...TRIGGER_RULES,
  ...LIFECYCLE_RULES,
  ...FLOW_RULES,
  ...REUSABLE_RULES,
  ...SCRIPT_RULES,
];
