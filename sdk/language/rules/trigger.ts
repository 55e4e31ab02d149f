import type { Rule } from "../visit.ts";

export const TRIGGER_RULES: readonly Rule[] = [];
