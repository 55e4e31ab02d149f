import { armResult } from "./rules/arm-result.ts";
import { chooseArms } from "./rules/choose-arms.ts";
import { configNotEmpty, configTimeout } from "./rules/config.ts";
import { documentRoot } from "./rules/document-root.ts";
import { exactReference } from "./rules/exact-reference.ts";
import { executableAttribute, executablePolicy } from "./rules/executable-attribute.ts";
import { executableElement, executableWorkflow } from "./rules/executable-element.ts";
import { knownAttribute } from "./rules/known-attribute.ts";
import { knownElement } from "./rules/known-element.ts";
import { lastItem } from "./rules/last-item.ts";
import { metadata } from "./rules/metadata.ts";
import { noSecret } from "./rules/no-secret.ts";
import { noText } from "./rules/no-text.ts";
import { notEmpty } from "./rules/not-empty.ts";
import { oneDefinition } from "./rules/one-definition.ts";
import { oneScript } from "./rules/one-script.ts";
import { permittedChild } from "./rules/permitted-child.ts";
import { requiredAttribute } from "./rules/required-attribute.ts";
import { retry } from "./rules/retry.ts";
import { scriptAccess } from "./rules/script-access.ts";
import { scriptBindings } from "./rules/script-bindings.ts";
import { scriptSyntax } from "./rules/script-syntax.ts";
import { uniqueId } from "./rules/unique-id.ts";
import { importsPlace, uses } from "./rules/uses.ts";
import { validId } from "./rules/valid-id.ts";
import { triggerCount, workflowParts } from "./rules/workflow-parts.ts";
import type { Reading } from "./script/reading.ts";
import type { Element } from "./tree.ts";
import type { Rule } from "./visit.ts";

/** Whether an element belongs where it stands. The order is that of precedence. */
export const GATES: readonly Rule[] = [documentRoot, knownElement, permittedChild, executableElement, oneDefinition];

/** What an element that does must keep to. An attribute that one rule has reported is of no interest to the next. */
export const rulesFor = (text: string, read: (script: Element) => Reading): readonly Rule[] => [
  noSecret,
  knownAttribute,
  executableAttribute,
  requiredAttribute,
  noText(text),
  validId,
  uniqueId,
  importsPlace,
  uses,
  metadata,
  workflowParts,
  executableWorkflow,
  triggerCount,
  configNotEmpty,
  configTimeout,
  notEmpty,
  lastItem,
  oneScript,
  retry,
  executablePolicy,
  chooseArms,
  armResult,
  exactReference,
  scriptSyntax(read),
  scriptBindings(read),
  scriptAccess(read),
];
