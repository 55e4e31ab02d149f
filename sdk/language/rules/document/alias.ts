import type { Remark } from "../../diagnostic.ts";
import { isElementName } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { HIDEABLE } from "../../tag.ts";
import { type Element, textOf } from "../../tree.ts";
import type { Look, Rule } from "../../visit.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** What scripts are given, and the services of WOML 1.0 that no module may hide. */
const SERVICES = words("http db storage cache events queue workflows state context attempt services secrets");
/** What a capability may not be called either. */
const JAVASCRIPT = words(
  "lifecycle fetch arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield",
);

interface Form {
  readonly pattern: RegExp;
  readonly longest: number;
  readonly hint: string;
}
const CAMEL = /^[a-z][A-Za-z0-9]*$/;
const KEBAB = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const CAPABILITY: Form = { pattern: CAMEL, longest: 64, hint: "A lower case letter, then letters and digits, at most 64: payments." };
const MODULE: Form = { pattern: CAMEL, longest: 128, hint: "A lower case letter, then letters and digits, at most 128: priceList." };
const TAG: Form = { pattern: KEBAB, longest: 128, hint: "A tag is lower case words with dashes, at most 128 characters: add-tax." };

/** What an import is called is a name of its kind, no name of the language, and each a name of its own. */
export const alias: Rule = (findings): Look => {
  const taken = new Set<string>();
  return (element) => {
    if (element.parent?.name !== "imports") return;
    const attribute = element.attributes.get(element.name === "uses" ? "as" : "name");
    if (!attribute || attribute.value === null) return;
    const remark = faultOf(attribute.value, element) ?? (taken.has(attribute.value) ? duplicate(attribute.value) : null);
    if (remark) findings.onValue(attribute, remark);
    taken.add(attribute.value);
  };
};

function faultOf(name: string, element: Element): Remark | null {
  if (element.name === "uses") return SERVICES.has(name) || JAVASCRIPT.has(name) ? reserved(name) : formFault(name, CAPABILITY);
  const from = textOf(element, "from");
  if (from?.endsWith(".woml")) return formFault(name, TAG) ?? (isKept(name) ? elementOf(name) : null);
  if (SERVICES.has(name)) return reserved(name);
  // Of what kind it is cannot be told: it may be meant to be a tag.
  return !isScript(from) && isOf(name, TAG) ? null : formFault(name, MODULE);
}

const isScript = (from: string | undefined): boolean => from !== undefined && /\.(?:js|ts)$/.test(from);
/** Whether no tag may be called so. */
export const isKept = (name: string): boolean => isElementName(name) && !HIDEABLE.has(name);
const isOf = (name: string, { pattern, longest }: Form): boolean => name.length <= longest && pattern.test(name);
const formFault = (name: string, form: Form): Remark | null =>
  isOf(name, form) ? null : { code: "WOML_MODULE_ALIAS_INVALID", message: `${quoted(name)} is no alias.`, hint: form.hint };

const reserved = (name: string): Remark => ({
  code: "WOML_MODULE_ALIAS_RESERVED",
  message: `The name ${quoted(name)} is taken by the language.`,
  hint: "Take another name.",
});
const elementOf = (name: string): Remark => ({
  code: "WOML_REUSABLE_ALIAS_RESERVED",
  message: `<${name}> is an element of the language.`,
  hint: "Take another name.",
});
const duplicate = (name: string): Remark => ({
  code: "WOML_MODULE_ALIAS_DUPLICATE",
  message: `The alias ${quoted(name)} is taken.`,
  hint: "Give each import a name of its own.",
});
