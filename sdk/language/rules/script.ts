import type { Rule } from "../visit.ts";
import { absent } from "./script/absent.ts";
import { bindings } from "./script/bindings.ts";
import { contextPart } from "./script/context-part.ts";
import { given } from "./script/given.ts";
import { knownReach } from "./script/module-reach.ts";
import { oneAlias } from "./script/one-alias.ts";
import { propName } from "./script/prop-name.ts";
import { secrets } from "./script/secrets.ts";
import { send } from "./script/send.ts";
import { services } from "./script/services.ts";
import { stepName } from "./script/step-name.ts";
import { scriptSyntax } from "./script/syntax.ts";
import { workflowCall } from "./script/workflow-call.ts";

export const SCRIPT_RULES: readonly Rule[] = [
  scriptSyntax,
  bindings,
  given,
  absent,
  services,
  secrets,
  workflowCall,
  send,
  oneAlias,
  knownReach,
  stepName,
  contextPart,
  propName,
];
