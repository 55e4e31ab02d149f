import type { Rule } from "../visit.ts";
import { scriptAccess } from "./script/access.ts";
import { scriptBindings } from "./script/bindings.ts";
import { scriptSyntax } from "./script/syntax.ts";

export const SCRIPT_RULES: readonly Rule[] = [scriptSyntax, scriptBindings, scriptAccess];
