import type { Rule } from "../visit.ts";
import { armResult } from "./flow/arm-result.ts";
import { chooseArms } from "./flow/choose-arms.ts";
import { exactReference } from "./flow/exact-reference.ts";
import { lastItem } from "./flow/last-item.ts";
import { notEmpty } from "./flow/not-empty.ts";
import { oneScript } from "./flow/one-script.ts";
import { retry } from "./flow/retry.ts";

/** Whether an item belongs where it stands. */
export const FLOW_GATES: readonly Rule[] = [];

/** What the items of a flow must keep to. */
export const FLOW_RULES: readonly Rule[] = [notEmpty, lastItem, oneScript, retry, chooseArms, armResult, exactReference];
