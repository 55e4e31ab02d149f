import { isCapabilityId, isRange } from "@woml/model";
import type { Code } from "../../codes.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, elementsOf, textOf } from "../../tree.ts";
import type { Look, Rule } from "../../visit.ts";

/** A definition has 64 places for capabilities, and one of them is that of http. */
const MOST_USES = 63;
const ALIAS = /^[a-z][A-Za-z0-9]{0,63}$/;
/** What a script is given, the services of WOML 1.0, and what JavaScript keeps for itself. */
const RESERVED: ReadonlySet<string> = new Set(
  [
    "http db storage cache events queue workflows state context attempt services secrets lifecycle fetch",
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for",
    "function if implements import in instanceof interface let new null package private protected public return static super switch this",
    "throw true try typeof var void while with yield",
  ].flatMap((line) => line.split(" ")),
);

/** `<imports>` stands once, before the workflow, and holds something. */
export const importsPlace: Rule = (findings) => (element) => {
  if (!element.parent) {
    const children = elementsOf(element);
    const definition = children.findIndex((child) => child.name !== "imports" && child.name !== "props");
    const [, ...more] = childrenNamed(element, "imports");
    const late = children.filter((child, at) => child.name === "imports" && definition >= 0 && at > definition);
    for (const imports of new Set([...more, ...late])) {
      const message = "<imports> stands once, before all else.";
      findings.add(imports.openRange, {
        code: "WOML_DOCUMENT_STRUCTURE_INVALID",
        message,
        hint: "Put all into one, in front of <workflow>.",
      });
    }
  }
  if (element.name !== "imports" || elementsOf(element).length > 0) return;
  const hint = 'Add a capability, or remove it: <uses capability="acme.payments" version="^1" as="payments" />.';
  findings.add(element.openRange, { code: "WOML_IMPORTS_EMPTY", message: "<imports> names nothing.", hint });
};

/** What a capability is called, which versions of it, and under which alias. */
export const uses: Rule = (findings): Look => {
  const taken = new Set<string>();
  let count = 0;
  return (element) => {
    if (element.name !== "uses") return;
    count += 1;
    if (count === MOST_USES + 1) findings.add(element.openRange, TOO_MANY);
    const say = (name: string, code: Code, message: (value: string) => string, hint: string): void => {
      const attribute = element.attributes.get(name);
      if (attribute) findings.onValue(attribute, { code, message: message(quoted(attribute.value ?? "")), hint });
    };
    const capability = textOf(element, "capability");
    if (capability !== undefined && !isCapabilityId(capability))
      say(
        "capability",
        "WOML_CAPABILITY_ID_INVALID",
        (value) => `${value} is no id of a capability.`,
        "Lower case words with dots: acme.payments.",
      );
    const version = textOf(element, "version");
    if (version !== undefined && !isRange(version))
      say("version", "WOML_CAPABILITY_RANGE_INVALID", (value) => `${value} is no range of versions.`, RANGE_HINT);
    const alias = textOf(element, "as");
    const fault = alias === undefined ? null : aliasFault(alias, taken);
    if (fault) say("as", ...fault);
    if (alias !== undefined) taken.add(alias);
  };
};

const RANGE_HINT = "Write ^1, ~1.2, 1.2.3, 1.x, * or comparators with a blank between them: >=1.2.0 <2.0.0.";
const TOO_MANY = {
  code: "WOML_MODULE_ALIAS_LIMIT_EXCEEDED",
  message: `A workflow uses at most ${MOST_USES} capabilities.`,
  hint: "Split the workflow.",
} as const;

function aliasFault(alias: string, taken: ReadonlySet<string>): readonly [Code, (value: string) => string, string] | null {
  if (RESERVED.has(alias))
    return ["WOML_MODULE_ALIAS_RESERVED", (value) => `The name ${value} is taken by the language.`, "Take another name."];
  if (!ALIAS.test(alias))
    return [
      "WOML_MODULE_ALIAS_INVALID",
      (value) => `${value} is no alias.`,
      "A lower case letter, then letters and digits, at most 64: payments.",
    ];
  if (!taken.has(alias)) return null;
  return ["WOML_MODULE_ALIAS_DUPLICATE", (value) => `The alias ${value} is taken.`, "Give each capability a name of its own."];
}
