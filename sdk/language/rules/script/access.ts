import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Access, Misuse } from "../../script/access.ts";
import { quoted, type Range } from "../../source.ts";
import type { Look, Rule } from "../../visit.ts";

const MOST_CALLS = 256;
const MOST_SECRETS = 64;
/** Services that need no import. */
const BUILT_IN: ReadonlySet<string> = new Set("db storage cache state events workflows telegram discord whatsapp".split(" "));
const OPERATION = /^[a-z][A-Za-z0-9]{0,63}$/;
const SECRET = /^[A-Z][A-Z0-9_]{0,127}$/;
const CALL_HINT = "Write the whole call where it is made: services.<alias>.<operation>(input).";
const SECRET_HINT = "Name the secret where it is needed: secrets.API_KEY.";

const SERVICE_MISUSE: Readonly<Record<Misuse, Remark>> = {
  value: misuse("WOML_SCRIPT_SERVICE_ACCESS_UNSUPPORTED", "A script calls what services holds, and may not pass it on.", CALL_HINT),
  dynamic: misuse("WOML_SCRIPT_SERVICE_ACCESS_DYNAMIC", "What a script calls must be written out, with dots.", CALL_HINT),
  write: misuse("WOML_SCRIPT_SERVICE_WRITE_UNSUPPORTED", "A script may not write to services.", "Take a variable of your own."),
};
const SECRET_MISUSE: Readonly<Record<Misuse, Remark>> = {
  value: misuse("WOML_SCRIPT_SECRET_ACCESS_UNSUPPORTED", "A script names single secrets, and may not pass all on.", SECRET_HINT),
  dynamic: misuse("WOML_SCRIPT_SECRET_ACCESS_DYNAMIC", "The name of a secret must be written out, with a dot.", SECRET_HINT),
  write: misuse("WOML_SCRIPT_SECRET_WRITE_UNSUPPORTED", "A script may not write to secrets.", "Take a variable of your own."),
};

/** `services` and `secrets` are used so that a reader can tell what a script calls and names. Each remark stands where its cause does first. */
export const scriptAccess: Rule = (findings, { imports, read }): Look => {
  const known = imports.uses;
  const modules = new Set(imports.modules.keys());
  return (element) => {
    if (element.name !== "script" || findings.isRefused(element)) return;
    const { accesses, shift, calls, secrets } = read(element);
    const found = new Map<string, { readonly remark: Remark; readonly range: Range }>();
    const report = ({ node }: Access, remark: Remark | null): void => {
      const key = `${remark?.code} ${remark?.message}`;
      const range = { start: node.start - shift, end: node.end - shift };
      if (remark && range.start < (found.get(key)?.range.start ?? Number.POSITIVE_INFINITY)) found.set(key, { remark, range });
    };
    for (const access of accesses.services) report(access, serviceRemark(access, known, modules));
    for (const access of accesses.secrets) report(access, secretRemark(access));
    for (const { remark, range } of found.values()) findings.add(range, remark);
    const surplus = (list: ReadonlyMap<string, Range>, most: number): Range[] => [...list.values()].slice(most, most + 1);
    for (const range of surplus(calls, MOST_CALLS)) findings.add(range, TOO_MANY_CALLS);
    for (const range of surplus(secrets, MOST_SECRETS)) findings.add(range, TOO_MANY_SECRETS);
  };
};

function serviceRemark({ path, misuse }: Access, known: ReadonlySet<string>, modules: ReadonlySet<string>): Remark | null {
  const [alias, operation = ""] = path;
  if (alias === undefined) return misuse && SERVICE_MISUSE[misuse];
  if (alias !== "http" && !known.has(alias)) {
    // The module itself has been reported.
    if (modules.has(alias) || BUILT_IN.has(alias)) return null;
    return unknownService(alias, known);
  }
  if (misuse) return SERVICE_MISUSE[misuse];
  return OPERATION.test(operation) ? null : unknownOperation(operation);
}

function secretRemark({ path: [name], misuse }: Access): Remark | null {
  if (misuse) return SECRET_MISUSE[misuse];
  if (name === undefined || SECRET.test(name)) return null;
  const message = `${quoted(name)} is no name of a secret.`;
  return { code: "WOML_SCRIPT_SECRET_NAME_INVALID", message, hint: "Upper case, digits and underscores, at most 128: API_KEY." };
}

const SHOWN_ALIASES = 8;
const unknownService = (alias: string, known: ReadonlySet<string>): Remark => ({
  code: "WOML_MODULE_SERVICE_UNKNOWN",
  message: `Nothing here is called ${quoted(alias)}.`,
  hint:
    known.size === 0 || known.size > SHOWN_ALIASES
      ? 'Name a capability in front of the workflow: <imports><uses capability="..." version="^1" as="..." /></imports>.'
      : `<imports> names ${[...known].join(", ")}: correct the alias, or name another capability there.`,
});

const unknownOperation = (operation: string): Remark => ({
  code: "WOML_OPERATION_UNKNOWN",
  message: `No capability has an operation ${quoted(operation)}.`,
  hint: "A lower case letter, then letters and digits, at most 64: charge.",
});

const TOO_MANY_CALLS: Remark = {
  code: "WOML_SCRIPT_TOO_COMPLEX",
  message: `A script calls at most ${MOST_CALLS} different operations.`,
  hint: "Split the step.",
};
const TOO_MANY_SECRETS: Remark = {
  code: "WOML_SCRIPT_SECRET_LIMIT_EXCEEDED",
  message: `A script names at most ${MOST_SECRETS} different secrets.`,
  hint: "Split the step.",
};

function misuse(code: Code, message: string, hint: string): Remark {
  return { code, message, hint };
}
