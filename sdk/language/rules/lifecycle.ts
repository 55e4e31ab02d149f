import type { Rule } from "../visit.ts";

export const LIFECYCLE_RULES: readonly Rule[] = [];
