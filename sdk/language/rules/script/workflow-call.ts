import { didYouMean } from "../../closest.ts";
import type { Remark } from "../../diagnostic.ts";
import { DAY_MS, durationMs } from "../../duration.ts";
import type { Access } from "../../script/access.ts";
import { argumentsOf, literalOf } from "../../script/literal.ts";
import { isService } from "../../script/reach.ts";
import { scriptRule } from "../../script/remarks.ts";
import type { Rule } from "../../visit.ts";
import { type Form, isOperationName, type Judge, judgeObject, listed, literal, NAME_HINT, type Say } from "./call.ts";

const LONGEST_ID = 256;
const WORKFLOW_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const OPTIONS_HINT = "Write them out where they are passed: { name } of a start, { name, timeout } of a call.";

const COUNT: Remark = {
  code: "WOML_WORKFLOW_CALL_ARGUMENTS_INVALID",
  message: "A workflow is called with its id, a payload, and options or none.",
  hint: 'Write services.workflows.call("order-router", { order: 1 }, { name: "route" }).',
};
const TARGET: Remark = {
  code: "WOML_WORKFLOW_TARGET_INVALID",
  message: "This is no id of a workflow.",
  hint: "Lower case words with dashes, at most 256 characters: order-router.",
};
const PAYLOAD: Remark = {
  code: "WOML_WORKFLOW_PAYLOAD_INVALID",
  message: "The payload of a workflow is an object.",
  hint: "Put it into one: { items }.",
};
const OPTIONS: Remark = {
  code: "WOML_WORKFLOW_CALL_OPTIONS_INVALID",
  message: "The options of a call must be an object whose properties can be read here.",
  hint: OPTIONS_HINT,
};
const TIMEOUT: Remark = {
  code: "WOML_WORKFLOW_CALL_OPTIONS_INVALID",
  message: "This is no time-out of a call.",
  hint: 'A whole number with its unit, up to 24h ("30s", "5m"), or of milliseconds.',
};
const NAME: Remark = { code: "WOML_WORKFLOW_CALL_NAME_INVALID", message: "This is no name of an operation.", hint: NAME_HINT };

const name = literal(isOperationName, NAME);
const timeout = literal(isTimeout, TIMEOUT);
const OPTIONS_OF: ReadonlyMap<string, Form> = new Map([
  ["call", options({ name, timeout })],
  ["start", options({ name })],
]);

/** What is written out of a call of another workflow is such that it can be made. */
export const workflowCall: Rule = scriptRule(({ reading: { accesses }, document: { imports }, say }) => {
  for (const { path, call, misuse } of accesses.services) {
    if (misuse || !call || path[0] !== "workflows" || !isService("workflows", imports)) continue;
    const form = OPTIONS_OF.get(path[1] ?? "");
    if (form) judge(call, form, say);
  }
});

function judge(call: NonNullable<Access["call"]>, form: Form, say: Say): void {
  const given = argumentsOf(call);
  const [target, payload, options] = given;
  const isSpread = given.some(({ type }) => type === "SpreadElement");
  if (!target || !payload || given.length > 3 || isSpread) {
    say(call, COUNT);
    return;
  }
  literal(isWorkflowId, TARGET)(target, say);
  if (payload.type === "ArrayExpression" || payload.type === "TemplateLiteral" || literalOf(payload)) say(payload, PAYLOAD);
  if (options) judgeObject(options, form, say);
}

function options(properties: Readonly<Record<string, Judge>>): Form {
  const unknown: Form["unknown"] = (option, names) => ({
    code: "WOML_WORKFLOW_CALL_OPTION_UNKNOWN",
    message: `There is no option ${listed([option])} here.`,
    hint: didYouMean(option, names, OPTIONS_HINT),
  });
  return { properties, indirect: OPTIONS, unknown };
}

const isWorkflowId = (value: unknown): boolean => typeof value === "string" && value.length <= LONGEST_ID && WORKFLOW_ID.test(value);

function isTimeout(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 1 && value <= DAY_MS;
  return typeof value === "string" && !value.includes(".") && durationMs(value, DAY_MS) !== null;
}
