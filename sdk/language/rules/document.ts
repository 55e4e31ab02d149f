import type { Rule } from "../visit.ts";
import { configNotEmpty, configTimeout } from "./document/config.ts";
import { documentRoot } from "./document/document-root.ts";
import { executableAttribute } from "./document/executable-attribute.ts";
import { knownAttribute } from "./document/known-attribute.ts";
import { knownElement } from "./document/known-element.ts";
import { metadata } from "./document/metadata.ts";
import { noText } from "./document/no-text.ts";
import { oneDefinition } from "./document/one-definition.ts";
import { permittedChild } from "./document/permitted-child.ts";
import { requiredAttribute } from "./document/required-attribute.ts";
import { uniqueId } from "./document/unique-id.ts";
import { importsPlace, uses } from "./document/uses.ts";
import { validId } from "./document/valid-id.ts";
import { triggerCount, workflowParts } from "./document/workflow-parts.ts";
import { credentials } from "./trigger/credential.ts";

/** Whether an element belongs where it stands. The order is that of precedence. */
export const DOCUMENT_GATES: readonly Rule[] = [documentRoot, knownElement, permittedChild, oneDefinition];

export const DOCUMENT_RULES: readonly Rule[] = [
  credentials,
  knownAttribute,
  executableAttribute,
  requiredAttribute,
  noText,
  validId,
  uniqueId,
  importsPlace,
  uses,
  metadata,
  workflowParts,
  triggerCount,
  configNotEmpty,
  configTimeout,
];
