import { closest } from "../../closest.ts";
import type { Remark } from "../../diagnostic.ts";
import type { DeclaredProp, ReusableDefinition } from "../../document.ts";
import { RETRY_ATTRIBUTES } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const OF_STEP: ReadonlySet<string> = new Set(["id", "name", "description", ...RETRY_ATTRIBUTES]);
const OF_HOOK: ReadonlySet<string> = new Set(["message"]);
const NONE: ReadonlySet<string> = new Set();

/** Every attribute of a tag is its own or a prop of the definition, and every required prop is there. */
export const tagProps: Rule = (findings, document) => (element) => {
  const definition = tagOf(element, document)?.definition;
  if (!definition) return;
  const missing = [...definition.props.values()].filter(({ name, required }) => required && !element.attributes.has(name));
  const own = ownAttributes(element, definition);
  const meant = new Set<string>();
  for (const attribute of element.attributes.values()) {
    if (own.has(attribute.name) || definition.props.has(attribute.name)) continue;
    const name =
      closest(
        attribute.name,
        missing.map((prop) => prop.name),
      ) ?? closest(attribute.name, [...definition.props.keys(), ...own]);
    if (name !== null) meant.add(name);
    findings.onName(attribute, unknown(element, attribute.name, name, definition));
  }
  // A prop that was written wrongly is not missing too.
  for (const prop of missing) if (!meant.has(prop.name)) findings.add(element.openRange, required(element, prop));
};

/** What a tag may have whatever its definition asks for. A provider's message is what a hook says; an approval is its own. */
function ownAttributes(element: Element, { kind }: ReusableDefinition): ReadonlySet<string> {
  if (kind === "step") return OF_STEP;
  return element.parent?.parent?.name === "approval" ? NONE : OF_HOOK;
}

function unknown(element: Element, attribute: string, meant: string | null, { props }: ReusableDefinition): Remark {
  const names = [...props.keys()];
  const all = names.length > 0 ? `Its props are ${names.slice(0, 20).join(", ")}.` : "Its definition has no props.";
  return {
    code: "WOML_REUSABLE_PROP_UNKNOWN",
    message: `<${element.name}> has no prop ${quoted(attribute)}.`,
    hint: meant === null ? all : `Did you mean ${meant}?`,
  };
}

const required = (element: Element, { name, secret }: DeclaredProp): Remark => ({
  code: "WOML_REUSABLE_PROP_REQUIRED",
  message: `<${element.name}> needs the prop ${name}.`,
  hint: `Write <${element.name} ${name}="${secret ? "{{secrets.API_KEY}}" : "..."}">.`,
});
