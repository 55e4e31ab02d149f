import { didYouMean } from "../../closest.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Imports } from "../../document.ts";
import { type Access, DB_OPERATIONS, type Misuse } from "../../script/access.ts";
import { BUILT_IN, OPERATION, reachOf } from "../../script/reach.ts";
import { type Guess, scriptRule } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const MOST_CALLS = 256;
const MOST_MODULES = 512;
const HINT = "Write the whole call where it is made: services.<alias>.<operation>(input).";

const MISUSE: Readonly<Record<Misuse, Remark>> = {
  value: {
    code: "WOML_SCRIPT_SERVICE_ACCESS_UNSUPPORTED",
    message: "A script calls what services holds, and may not pass it on.",
    hint: HINT,
  },
  dynamic: { code: "WOML_SCRIPT_SERVICE_ACCESS_DYNAMIC", message: "What a script calls must be written out, with dots.", hint: HINT },
  write: {
    code: "WOML_SCRIPT_SERVICE_WRITE_UNSUPPORTED",
    message: "A script may not write to services.",
    hint: "Take a variable of your own.",
  },
};

const STORE = ["get", "set", "has", "delete", "increment", "setIfAbsent"];
/** What the services that need no import can do, those of which a release says it apart. */
const OPERATIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ db: DB_OPERATIONS, storage: ["put", "get", "head", "list", "delete"], cache: STORE, state: STORE, events: ["emit"] }),
);
/** Of these the language itself says what they do. */
const FIXED = {
  workflows: { code: "WOML_WORKFLOW_OPERATION_UNSUPPORTED", operations: ["call", "start"] },
  telegram: { code: "WOML_TELEGRAM_OPERATION_UNSUPPORTED", operations: ["send"] },
  discord: { code: "WOML_DISCORD_OPERATION_UNSUPPORTED", operations: ["send"] },
  whatsapp: { code: "WOML_WHATSAPP_OPERATION_UNSUPPORTED", operations: ["send"] },
} as const;
const fixed: ReadonlyMap<string, (typeof FIXED)[keyof typeof FIXED]> = new Map(Object.entries(FIXED));

/** `services` is used so that a reader can tell what a script calls, and what it calls is there. */
export const services: Rule = scriptRule(({ reading, document, say, guess }) => {
  for (const access of reading.accesses.services) {
    const remark = remarkOn(access, document.imports, guess);
    if (remark) say(access.node, remark);
  }
  const { calls, modules } = reachOf(reading, document);
  const [surplus] = [...[...calls.values()].slice(MOST_CALLS), ...[...modules.values()].slice(MOST_MODULES)];
  if (surplus) say({ start: surplus.start + reading.shift, end: surplus.end + reading.shift }, TOO_MANY);
});

function remarkOn({ path, misuse }: Access, imports: Imports, guess: Guess): Remark | null {
  const [alias, operation] = path;
  if (alias === undefined) return misuse && MISUSE[misuse];
  const isUsed = imports.uses.has(alias);
  const isModule = !isUsed && imports.modules.has(alias);
  if (!isUsed && !isModule && !BUILT_IN.includes(alias)) return unknownService(alias, imports, guess);
  const own = isUsed || isModule ? undefined : fixed.get(alias);
  if (own && misuse === "value" && !isOneOf(own.operations, operation)) return unknownOf(alias, operation, own);
  if (misuse) return MISUSE[misuse];
  if (operation === undefined) return null;
  if (isModule) return unknownExport(operation, imports.modules.get(alias)?.exports, guess);
  if (own) return isOneOf(own.operations, operation) ? null : unknownOf(alias, operation, own);
  return isUsed ? impossible(operation) : unknownOperation(alias, operation);
}

const isOneOf = (list: readonly string[], name: string | undefined): boolean => name !== undefined && list.includes(name);

/** Why there is none of what a service might be hoped for. */
const NOT_HERE: ReadonlyMap<string, string> = new Map([
  ["slack", "Slack is told by <notify> and listened to by <slack> in <triggers>; to call it, name a capability with <uses>."],
  ["queue", "A queue is named by <config queue>."],
]);
const SHOWN_ALIASES = 8;

function unknownService(alias: string, { uses, modules }: Imports, guess: Guess): Remark {
  const known = [...uses, ...modules.keys()];
  const otherwise =
    known.length === 0 || known.length > SHOWN_ALIASES
      ? 'Name a capability in front of the workflow: <imports><uses capability="..." version="^1" as="..." /></imports>.'
      : `<imports> names ${known.join(", ")}: correct the alias, or name another capability there.`;
  const hint = NOT_HERE.get(alias) ?? guess(alias, [...known, ...BUILT_IN], otherwise);
  return { code: "WOML_MODULE_SERVICE_UNKNOWN", message: `Nothing here is called ${quoted(alias)}.`, hint };
}

function unknownOf(alias: string, operation: string | undefined, { code, operations }: (typeof FIXED)[keyof typeof FIXED]): Remark {
  const forms = operations.map((name) => `services.${alias}.${name}(…)`).join(" or ");
  const message = operation === undefined ? `services.${alias} is used as a value.` : `services.${alias} has no ${quoted(operation)}.`;
  return { code, message, hint: `Write ${forms}.` };
}

function unknownExport(name: string, exported: readonly string[] | undefined, guess: Guess): Remark | null {
  // The module itself has been reported.
  if (!exported || exported.includes(name)) return null;
  return {
    code: "WOML_MODULE_EXPORT_UNKNOWN",
    severity: "warning",
    message: `The module exports no function ${quoted(name)}: calling it throws.`,
    hint: guess(name, exported, "Export the function, or call another one."),
  };
}

function unknownOperation(alias: string, operation: string): Remark | null {
  const operations = OPERATIONS.get(alias);
  if (!operations) return OPERATION.test(operation) ? null : impossible(operation);
  if (operations.includes(operation)) return null;
  return {
    code: "WOML_OPERATION_UNKNOWN",
    severity: "warning",
    message: `services.${alias} has no operation ${quoted(operation)}: calling it throws.`,
    hint: didYouMean(operation, operations, `It has ${operations.join(", ")}.`),
  };
}

function impossible(operation: string): Remark | null {
  if (OPERATION.test(operation)) return null;
  return {
    code: "WOML_OPERATION_UNKNOWN",
    message: `No capability has an operation ${quoted(operation)}.`,
    hint: "A lower case letter, then letters and digits, at most 64: charge.",
  };
}

const TOO_MANY: Remark = {
  code: "WOML_SCRIPT_TOO_COMPLEX",
  message: `A script calls at most ${MOST_CALLS} different operations, and ${MOST_MODULES} modules.`,
  hint: "Split the step.",
};
