import type { Remark } from "../../diagnostic.ts";
import { bindingOf } from "../../props.ts";
import { quoted } from "../../source.ts";
import { elementsOf } from "../../tree.ts";
import type { Look, Rule } from "../../visit.ts";

const LONGEST = 128;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** What every object of JavaScript has. */
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor"]);

/** `<props>` asks for something. */
export const propsNotEmpty: Rule = (findings) => (element) => {
  if (element.name !== "props" || elementsOf(element).length > 0) return;
  const hint = 'Remove it, or add a prop: <prop name="price" required="true" />.';
  findings.add(element.openRange, { code: "WOML_PROPS_EMPTY", message: "<props> asks for nothing.", hint });
};

/** Each prop has a name that no other has, in tags or in scripts. */
export const propName: Rule = (findings): Look => {
  const taken = new Map<string, string>();
  return (element) => {
    const attribute = element.name === "prop" ? element.attributes.get("name") : undefined;
    if (!attribute || attribute.value === null) return;
    const name = attribute.value;
    const remark = nameFault(name) ?? duplicate(name, taken.get(bindingOf(name)));
    if (remark) findings.onValue(attribute, remark);
    else taken.set(bindingOf(name), name);
  };
};

function nameFault(name: string): Remark | null {
  const hint = `Lower case words with dashes, at most ${LONGEST} characters: api-key. In scripts it is props.apiKey.`;
  if (name.length > LONGEST || !NAME.test(name))
    return { code: "WOML_PROP_NAME_INVALID", message: `${quoted(name)} is no name of a prop.`, hint };
  const message = `A prop may not be called ${quoted(name)}: every object has that.`;
  return RESERVED.has(bindingOf(name)) ? { code: "WOML_PROP_NAME_RESERVED", message, hint: "Take another name." } : null;
}

function duplicate(name: string, other: string | undefined): Remark | null {
  if (other === undefined) return null;
  const message =
    name === other ? `The prop ${name} stands twice.` : `In scripts ${name} would be props.${bindingOf(name)}, as ${other} is.`;
  return { code: "WOML_PROP_DUPLICATE", message, hint: "Remove it, or take another name." };
}

/** What is said of a prop is true or false. */
export const propFlags: Rule = (findings) => (element) => {
  if (element.name !== "prop") return;
  for (const name of ["required", "secret"]) {
    const attribute = element.attributes.get(name);
    if (!attribute || attribute.value === null || attribute.value === "true" || attribute.value === "false") continue;
    const message = `${quoted(attribute.value)} is neither true nor false.`;
    findings.onValue(attribute, { code: "WOML_PROP_BOOLEAN_INVALID", message, hint: `Write ${name}="true", or leave it out.` });
  }
};
