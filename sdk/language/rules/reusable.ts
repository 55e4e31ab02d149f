import type { Rule } from "../visit.ts";

/** Whether a tag of an imported definition belongs where it stands. */
export const REUSABLE_GATES: readonly Rule[] = [];

/** What reusable definitions and their tags must keep to. */
export const REUSABLE_RULES: readonly Rule[] = [];
