import type { Rule } from "../visit.ts";
import { alias } from "./document/alias.ts";
import { configNotEmpty, configPolicies } from "./document/config.ts";
import { documentRoot } from "./document/document-root.ts";
import { executableAttribute } from "./document/executable-attribute.ts";
import { importsNotEmpty } from "./document/imports.ts";
import { keptTag } from "./document/kept-tag.ts";
import { knownAttribute } from "./document/known-attribute.ts";
import { knownElement } from "./document/known-element.ts";
import { metadata } from "./document/metadata.ts";
import { modulePath } from "./document/module-path.ts";
import { readableModule } from "./document/modules.ts";
import { noText } from "./document/no-text.ts";
import { definedScript, providerKind } from "./document/operation.ts";
import { permittedChild } from "./document/permitted-child.ts";
import { oneDefinition, partOrder } from "./document/profile.ts";
import { propFlags, propName, propsNotEmpty } from "./document/props.ts";
import { requiredAttribute } from "./document/required-attribute.ts";
import { uniqueId } from "./document/unique-id.ts";
import { uses } from "./document/uses.ts";
import { validId } from "./document/valid-id.ts";
import { triggerCount, workflowParts } from "./document/workflow-parts.ts";
import { credentials } from "./trigger/credential.ts";

/** Whether an element belongs where it stands. The order is that of precedence. */
export const DOCUMENT_GATES: readonly Rule[] = [documentRoot, keptTag, knownElement, permittedChild, oneDefinition];

export const DOCUMENT_RULES: readonly Rule[] = [
  credentials,
  knownAttribute,
  executableAttribute,
  requiredAttribute,
  noText,
  validId,
  uniqueId,
  partOrder,
  importsNotEmpty,
  uses,
  alias,
  modulePath,
  readableModule,
  propsNotEmpty,
  propName,
  propFlags,
  providerKind,
  definedScript,
  metadata,
  workflowParts,
  triggerCount,
  configNotEmpty,
  configPolicies,
];
