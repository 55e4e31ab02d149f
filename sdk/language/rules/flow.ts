import type { Rule } from "../visit.ts";
import { approvalArms, approvalCalled, approvalTimeout, notifyFirst } from "./flow/approval.ts";
import { armResult, controlArms } from "./flow/arm-result.ts";
import { choiceMetadata } from "./flow/choice-metadata.ts";
import { chooseArms } from "./flow/choose-arms.ts";
import { deprecatedBranch } from "./flow/deprecated-branch.ts";
import { exactReference } from "./flow/exact-reference.ts";
import { forEachConcurrency, forEachItems, forEachResult } from "./flow/for-each.ts";
import { forkBranchId } from "./flow/fork-branch-id.ts";
import { forkJoin } from "./flow/fork-join.ts";
import { notEmpty } from "./flow/not-empty.ts";
import { oneScript } from "./flow/one-script.ts";
import { parallelConcurrency, parallelPolicy } from "./flow/parallel.ts";
import { retry } from "./flow/retry.ts";
import { caseValue, switchArms } from "./flow/switch-arms.ts";
import { workflowResult } from "./flow/workflow-result.ts";

/** Whether an item belongs where it stands. */
export const FLOW_GATES: readonly Rule[] = [];

/** What the items of a flow must keep to. */
export const FLOW_RULES: readonly Rule[] = [
  notEmpty,
  workflowResult,
  oneScript,
  retry,
  parallelConcurrency,
  parallelPolicy,
  deprecatedBranch,
  choiceMetadata,
  chooseArms,
  switchArms,
  caseValue,
  armResult,
  controlArms,
  forkBranchId,
  forkJoin,
  forEachItems,
  forEachConcurrency,
  forEachResult,
  approvalArms,
  approvalTimeout,
  approvalCalled,
  notifyFirst,
  exactReference,
];
