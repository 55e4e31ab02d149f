import { didYouMean } from "../../closest.ts";
import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Access } from "../../script/access.ts";
import type { ScriptKind } from "../../script/kind.ts";
import { argumentsOf } from "../../script/literal.ts";
import { isService } from "../../script/reach.ts";
import { scriptRule } from "../../script/remarks.ts";
import { isNode } from "../../script/walk.ts";
import type { Rule } from "../../visit.ts";
import { type Form, isOperationName, type Judge, judgeObject, listed, literal, NAME_HINT, type Say } from "./call.ts";

type Node = Access["node"];
/** What a provider sends, and what is said of the options of a call beside what all say. */
interface Provider {
  readonly alias: string;
  readonly prefix: "TELEGRAM" | "DISCORD" | "WHATSAPP";
  readonly credential: string;
  readonly properties: Readonly<Record<string, Judge>>;
  readonly optional: readonly string[];
  readonly name: Code;
  readonly twice?: Code;
}

const matches =
  (form: RegExp) =>
  (value: unknown): boolean =>
    typeof value === "string" && form.test(value);
const isText =
  (most: number) =>
  (value: unknown): boolean =>
    typeof value === "string" && value.length > 0 && value.length <= most;
const SNOWFLAKE = [matches(/^\d{17,20}$/), "An id of Discord, as a text: 17 to 20 digits."] as const;

/** Properties whose values have a form, each with its form in words. */
const values = (code: Code, forms: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>>): Record<string, Judge> =>
  Object.fromEntries(
    Object.entries(forms).map(([name, [holds, hint]]) => [name, literal(holds, { code, message: `This can be no ${name}.`, hint })]),
  );

const TEMPLATE: Form = {
  properties: {
    ...values("WOML_WHATSAPP_SEND_VALUE_INVALID", {
      name: [matches(/^[a-z0-9_]{1,512}$/), "The name of an approved template: order_update."],
      language: [matches(/^[a-z]{2,3}(?:_[A-Z]{2})?$/), "A language as WhatsApp writes it: en, or en_US."],
    }),
    parameters: (node, say) => {
      if (node.type !== "ArrayExpression") say(node, PARAMETERS);
    },
  },
  required: ["name", "language", "parameters"],
  indirect: {
    code: "WOML_WHATSAPP_SEND_VALUE_INVALID",
    message: "The template must be an object whose properties can be read here.",
    hint: 'Write it out: template: { name: "order_update", language: "en", parameters: [context.payload.order] }.',
  },
  unknown: (name, names) => unknown("WOML_WHATSAPP_TEMPLATE_PROPERTY_UNKNOWN", name, names),
  repeated: (name) => repeated("WOML_WHATSAPP_TEMPLATE_PROPERTY_DUPLICATE", name),
  missing: (names) => missing("WOML_WHATSAPP_TEMPLATE_PROPERTY_REQUIRED", names),
};
const PARAMETERS: Remark = {
  code: "WOML_WHATSAPP_TEMPLATE_PARAMETERS_INVALID",
  message: "The parameters of a template must be a list that is written out.",
  hint: "Write parameters: [first, second], or [] when there are none.",
};

const PROVIDERS: readonly Provider[] = [
  {
    alias: "telegram",
    prefix: "TELEGRAM",
    credential: "botToken",
    properties: values("WOML_TELEGRAM_SEND_VALUE_INVALID", {
      conversationId: [matches(/^-?[1-9]\d{0,19}$/), 'The id of a chat, as a text of digits: "-1001234567890".'],
      text: [isText(4_096), "A text of 1 to 4,096 characters."],
      replyToMessageId: [matches(/^[1-9]\d{0,19}$/), 'The id of a message, as a text of digits: "42".'],
    }),
    optional: ["replyToMessageId"],
    name: "WOML_TELEGRAM_SEND_OPTIONS_INVALID",
  },
  {
    alias: "discord",
    prefix: "DISCORD",
    credential: "botToken",
    properties: values("WOML_DISCORD_SEND_VALUE_INVALID", {
      conversationId: SNOWFLAKE,
      text: [isText(2_000), "A text of 1 to 2,000 characters."],
      replyToMessageId: SNOWFLAKE,
    }),
    optional: ["replyToMessageId"],
    name: "WOML_DISCORD_SEND_NAME_INVALID",
    twice: "WOML_DISCORD_SEND_OPTION_DUPLICATE",
  },
  {
    alias: "whatsapp",
    prefix: "WHATSAPP",
    credential: "accessToken",
    properties: {
      ...values("WOML_WHATSAPP_SEND_VALUE_INVALID", {
        phoneNumberId: [matches(/^\d{6,20}$/), "The id of a phone number, as a text: 6 to 20 digits."],
        conversationId: [matches(/^[1-9]\d{7,15}$/), "A phone number with its country, without a plus: 8 to 16 digits."],
      }),
      template: (node, say) => judgeObject(node, TEMPLATE, say),
    },
    optional: [],
    name: "WOML_WHATSAPP_SEND_NAME_INVALID",
    twice: "WOML_WHATSAPP_SEND_OPTION_DUPLICATE",
  },
];

/** What is written out of a message is such that it can be sent, and its credential is a secret by name. */
export const send: Rule = scriptRule(({ reading: { accesses }, document: { imports }, kind, say }) => {
  const judges = new Map<string, ReturnType<typeof judgeOf> | null>();
  const judgeFor = (alias: string): ReturnType<typeof judgeOf> | null => {
    const provider = PROVIDERS.find((one) => one.alias === alias && isBuiltIn(alias, imports));
    return provider ? judgeOf(provider, kind) : null;
  };
  for (const { path, call, misuse } of accesses.services) {
    const [alias = "", operation] = path;
    if (misuse || !call || operation !== "send") continue;
    if (!judges.has(alias)) judges.set(alias, judgeFor(alias));
    judges.get(alias)?.(call, say);
  }
});

const isBuiltIn = (alias: string, imports: Parameters<typeof isService>[1]): boolean =>
  isService(alias, imports) && !imports.uses.has(alias);

function judgeOf(provider: Provider, kind: ScriptKind): (call: Node, say: Say) => void {
  const { alias, prefix, credential } = provider;
  const input = inputOf(provider, kind);
  const options = optionsOf(provider);
  const count: Remark = {
    code: `WOML_${prefix}_SEND_ARGUMENTS_INVALID`,
    message: "A message is sent with what it is, and options or none.",
    hint: `Write services.${alias}.send({ ${credential}: secrets.TOKEN, … }, { name: "receipt" }).`,
  };
  return (call, say) => {
    const [message, more, ...rest] = argumentsOf(call);
    if (!message || rest.length > 0) {
      say(call, count);
      return;
    }
    judgeObject(message, input, say);
    if (more) judgeObject(more, options, say);
  };
}

function inputOf({ prefix, credential, properties, optional }: Provider, kind: ScriptKind): Form {
  const remark: Remark = {
    code: `WOML_${prefix}_CREDENTIAL_INVALID`,
    message: `${credential} is a secret, named where it is passed.`,
    hint: kind.secrets ? `Write ${credential}: secrets.BOT_TOKEN.` : `Write ${credential}: props.token, of a <prop> with secret="true".`,
  };
  const names = [credential, ...Object.keys(properties)];
  return {
    properties: { [credential]: credentialOf(kind, remark), ...properties },
    required: names.filter((name) => !optional.includes(name)),
    indirect: {
      code: `WOML_${prefix}_SEND_INPUT_INVALID`,
      message: "What is sent must be an object whose properties can be read here.",
      hint: `Write it out where it is passed: { ${names.join(", ")} }.`,
    },
    unknown: (name, known) => unknown(`WOML_${prefix}_SEND_PROPERTY_UNKNOWN`, name, known),
    repeated: (name) => repeated(`WOML_${prefix}_SEND_PROPERTY_DUPLICATE`, name),
    missing: (absent) => missing(`WOML_${prefix}_SEND_PROPERTY_REQUIRED`, absent),
  };
}

function optionsOf({ prefix, name, twice }: Provider): Form {
  return {
    properties: { name: literal(isOperationName, { code: name, message: "This is no name of an operation.", hint: NAME_HINT }) },
    indirect: {
      code: `WOML_${prefix}_SEND_OPTIONS_INVALID`,
      message: "The options of a call must be an object whose properties can be read here.",
      hint: 'Write them out where they are passed: { name: "receipt" }.',
    },
    unknown: (option, names) => unknown(`WOML_${prefix}_SEND_OPTION_UNKNOWN`, option, names),
    ...(twice && { repeated: (option: string) => repeated(twice, option) }),
  };
}

const credentialOf =
  (kind: ScriptKind, remark: Remark): Judge =>
  (node, say) => {
    if (!isCredential(node, kind)) say(node, remark);
  };

/** `secrets.NAME`; in a reusable definition, which has none, `props.name`. What is wrong with the use of secrets is said elsewhere. */
function isCredential(node: Node, kind: ScriptKind): boolean {
  const { object, computed, type } = node;
  if (type !== "MemberExpression" || !isNode(object) || object.type !== "Identifier") return false;
  return object["name"] === "secrets" || (!kind.secrets && object["name"] === "props" && computed !== true);
}

const unknown = (code: Code, name: string, names: readonly string[]): Remark => ({
  code,
  message: `There is no ${listed([name])} here.`,
  hint: didYouMean(name, names, `There ${names.length === 1 ? "is" : "are"} ${names.join(", ")}.`),
});
const repeated = (code: Code, name: string): Remark => ({
  code,
  message: `${listed([name])} is written twice.`,
  hint: "Keep one of them.",
});
const missing = (code: Code, names: readonly string[]): Remark => ({
  code,
  message: `${listed(names)} ${names.length === 1 ? "is" : "are"} missing.`,
  hint: "Add what is missing.",
});
