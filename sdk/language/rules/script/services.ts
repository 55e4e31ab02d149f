import { closest } from "../../closest.ts";
import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Imports } from "../../document.ts";
import { hasDoubtfulService } from "../../meant.ts";
import type { Access, Misuse } from "../../script/access.ts";
import { OPERATIONS } from "../../script/operations.ts";
import { OPERATION, reachOf } from "../../script/reach.ts";
import { type Guess, scriptRule } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import { HIDEABLE } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

const UNKNOWN = "WOML_MODULE_SERVICE_UNKNOWN";
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

/** Of these the language itself says what they do, and they do it where they are called. */
const FIXED: ReadonlyMap<string, Code> = new Map([
  ["workflows", "WOML_WORKFLOW_OPERATION_UNSUPPORTED"],
  ["telegram", "WOML_TELEGRAM_OPERATION_UNSUPPORTED"],
  ["discord", "WOML_DISCORD_OPERATION_UNSUPPORTED"],
  ["whatsapp", "WOML_WHATSAPP_OPERATION_UNSUPPORTED"],
]);

/** What a call is told that an import would have made a sound one: also one that hides a service of the language. */
const MAY_BE_BROUGHT: ReadonlySet<string> = new Set([UNKNOWN, ...[...FIXED].flatMap(([name, code]) => (HIDEABLE.has(name) ? [code] : []))]);

/** `services` is used so that a reader can tell what a script calls, and what it calls is there. */
export const services: Rule = (findings, document) => {
  const isDoubtful = hasDoubtfulService(document);
  const rule = scriptRule(({ reading, say, guess }) => {
    for (const access of reading.accesses.services) {
      const remark = remarkOn(access, document.imports, guess);
      // The import that may bring it has been reported.
      if (remark && !(isDoubtful && MAY_BE_BROUGHT.has(remark.code))) say(access.node, remark);
    }
    const { calls, modules } = reachOf(reading, document);
    const [surplus] = [...[...calls.values()].slice(MOST_CALLS), ...[...modules.values()].slice(MOST_MODULES)];
    if (surplus) say({ start: surplus.start + reading.shift, end: surplus.end + reading.shift }, TOO_MANY);
  });
  return rule(findings, document);
};

function remarkOn(access: Access, imports: Imports, guess: Guess): Remark | null {
  const { path, misuse } = access;
  const [alias, operation] = path;
  if (alias === undefined || misuse === "write") return misuse && MISUSE[misuse];
  if (imports.uses.has(alias)) return misuse ? MISUSE[misuse] : impossible(operation);
  if (imports.modules.has(alias)) return unknownExport(operation, imports.modules.get(alias)?.exports, guess);
  const operations = OPERATIONS.get(alias);
  if (!operations) return unknownService(alias, imports, guess);
  const isOne = operation !== undefined && operations.includes(operation);
  const code = FIXED.get(alias);
  if (code) return isOne && !misuse ? null : unknownOf(alias, operations, code);
  // What the platform has of itself is known, and may be kept as a value.
  return operation === undefined || isOne ? null : unknownOperation(alias, operation, operations);
}

/** Why there is none of what a service might be hoped for. */
const NOT_HERE: ReadonlyMap<string, string> = new Map([
  ["slack", "Slack is told by <notify> and listened to by <slack> in <triggers>; to call it, name a capability with <uses>."],
  ["queue", "A queue is named by <config queue>."],
]);
const SHOWN_ALIASES = 8;

function unknownService(alias: string, { uses, modules, reusables }: Imports, guess: Guess): Remark {
  const known = [...uses, ...modules.keys()];
  const otherwise =
    known.length === 0 || known.length > SHOWN_ALIASES
      ? 'Name a capability in front of the workflow: <imports><uses capability="..." version="^1" as="..." /></imports>.'
      : `<imports> names ${known.join(", ")}: correct the alias, or name another capability there.`;
  const tag = reusables.has(alias) ? `${quoted(alias)} is a definition and no service: it is used by its tag, <${alias} />.` : undefined;
  const hint = tag ?? NOT_HERE.get(alias) ?? guess(alias, [...known, ...OPERATIONS.keys()], otherwise);
  return { code: UNKNOWN, message: `Nothing here is called ${quoted(alias)}.`, hint };
}

function unknownOf(alias: string, operations: readonly string[], code: Code): Remark {
  const forms = operations.map((name) => `services.${alias}.${name}(…)`).join(" or ");
  return { code, message: `services.${alias} is used in another way than ${forms}.`, hint: "Write the whole call where it is made." };
}

function unknownExport(name: string | undefined, exported: readonly string[] | undefined, guess: Guess): Remark | null {
  // The module itself has been reported.
  if (name === undefined || !exported || exported.includes(name)) return null;
  return {
    code: "WOML_MODULE_EXPORT_UNKNOWN",
    severity: "warning",
    message: `The module exports no function ${quoted(name)}: calling it throws.`,
    hint: guess(name, exported, "Export the function, or call another one."),
  };
}

function unknownOperation(alias: string, operation: string, operations: readonly string[]): Remark | null {
  const meant = closest(operation, operations);
  // What else the released plugin of http can do is said by publish.
  if (alias === "http" && meant === null) return impossible(operation);
  return {
    code: "WOML_OPERATION_UNKNOWN",
    severity: "warning",
    message: `services.${alias} has no operation ${quoted(operation)}: calling it throws.`,
    hint: meant === null ? `It has ${operations.join(", ")}.` : `Did you mean ${meant}?`,
  };
}

function impossible(operation: string | undefined): Remark | null {
  if (operation === undefined || OPERATION.test(operation)) return null;
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
