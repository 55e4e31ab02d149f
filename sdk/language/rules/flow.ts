import type { Rule } from "../visit.ts";
import { approvalArms } from "./flow/approval-arms.ts";
import { approvalCalled } from "./flow/approval-called.ts";
import { approvalTimeout } from "./flow/approval-timeout.ts";
import { armResult } from "./flow/arm-result.ts";
import { caseValue } from "./flow/case-value.ts";
import { choiceMetadata } from "./flow/choice-metadata.ts";
import { chooseArms } from "./flow/choose-arms.ts";
import { controlArms } from "./flow/control-arms.ts";
import { deprecatedBranch } from "./flow/deprecated-branch.ts";
import { exactReference } from "./flow/exact-reference.ts";
import { forEachConcurrency } from "./flow/for-each-concurrency.ts";
import { forEachHistory } from "./flow/for-each-history.ts";
import { forEachItems } from "./flow/for-each-items.ts";
import { forEachResult } from "./flow/for-each-result.ts";
import { forkBranchId } from "./flow/fork-branch-id.ts";
import { forkJoin } from "./flow/fork-join.ts";
import { notEmpty } from "./flow/not-empty.ts";
import { notifyFirst } from "./flow/notify-first.ts";
import { oneScript } from "./flow/one-script.ts";
import { parallelConcurrency } from "./flow/parallel-concurrency.ts";
import { parallelPolicy } from "./flow/parallel-policy.ts";
import { retry } from "./flow/retry.ts";
import { switchArms } from "./flow/switch-arms.ts";
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
  forEachHistory,
  approvalArms,
  approvalTimeout,
  approvalCalled,
  notifyFirst,
  exactReference,
];
