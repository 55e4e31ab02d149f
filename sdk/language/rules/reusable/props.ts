import { closest } from "../../closest.ts";
import type { Remark } from "../../diagnostic.ts";
import type { ReusableDefinition } from "../../document.ts";
import { RETRY_ATTRIBUTES } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

export const OF_STEP: ReadonlySet<string> = new Set(["id", "name", "description", ...RETRY_ATTRIBUTES]);
const OF_HOOK: ReadonlySet<string> = new Set(["message"]);
const NONE: ReadonlySet<string> = new Set();
/** Props that one remark lists. */
const LISTED = 10;
/** What was meant is looked for as long as remarks are shown: each compares a word with all props. */
const HINTS = 100;

/** Every attribute of a tag is its own or a prop of the definition, and every required prop is there. */
export const tagProps: Rule = (findings, document) => {
  let hints = 0;
  return (element) => {
    const definition = tagOf(element, document)?.definition;
    if (!definition) return;
    const missing = missingOf(element, definition);
    const own = ownAttributes(element, definition);
    const meant = new Set<string>();
    for (const attribute of element.attributes.values()) {
      if (own.has(attribute.name) || definition.props.has(attribute.name)) continue;
      hints += 1;
      const name = hints > HINTS ? null : (closest(attribute.name, missing) ?? closest(attribute.name, definition.props.keys()));
      if (name !== null) meant.add(name);
      findings.onName(attribute, unknown(element, attribute.name, name, definition));
    }
    // A prop that was written wrongly is not missing too.
    const left = missing.filter((name) => !meant.has(name));
    if (left.length > 0) findings.add(element.openRange, required(element, left, definition));
  };
};

/** The first required props that a tag lacks. */
const missingOf = (element: Element, { props }: ReusableDefinition): readonly string[] =>
  props
    .values()
    .filter(({ name, required: isRequired }) => isRequired && !element.attributes.has(name))
    .take(LISTED)
    .map(({ name }) => name)
    .toArray();

/** What a tag may have whatever its definition asks for. A provider's message is what a hook says; an approval is its own. */
function ownAttributes(element: Element, { kind }: ReusableDefinition): ReadonlySet<string> {
  if (kind === "step") return OF_STEP;
  return element.parent?.parent?.name === "approval" ? NONE : OF_HOOK;
}

function unknown(element: Element, attribute: string, meant: string | null, { props }: ReusableDefinition): Remark {
  const names = props.keys().take(LISTED).toArray().join(", ");
  const all = props.size > 0 ? `Its props are ${names}${props.size > LISTED ? " …" : "."}` : "Its definition has no props.";
  return {
    code: "WOML_REUSABLE_PROP_UNKNOWN",
    message: `<${element.name}> has no prop ${quoted(attribute)}.`,
    hint: meant === null ? all : `Did you mean ${meant}?`,
  };
}

function required(element: Element, names: readonly string[], { props }: ReusableDefinition): Remark {
  const written = names.map((name) => `${name}="${props.get(name)?.secret ? "{{secrets.API_KEY}}" : "..."}"`);
  return {
    code: "WOML_REUSABLE_PROP_REQUIRED",
    message: `<${element.name}> needs the ${names.length > 1 ? "props" : "prop"} ${names.join(", ")}.`,
    hint: `Write <${element.name} ${written.join(" ")}>.`,
  };
}
