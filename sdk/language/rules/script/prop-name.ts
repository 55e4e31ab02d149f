import type { Document } from "../../document.ts";
import { isElementName } from "../../grammar.ts";
import { declaredProps } from "../../props.ts";
import { isWrittenThrough, memberOf } from "../../script/names.ts";
import { scriptRule } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, elementsOf, textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** What a script reads of the props is one that its definition declares. It is a warning: anything else reads undefined, and WOML 1.0 does not look. */
export const propName: Rule = (findings, document) => {
  const declared = [...declaredProps(document.root).values()].map(({ binding }) => binding);
  const isDoubtful = hasDoubtfulProp(document);
  const rule = scriptRule(({ reading: { names }, kind, say, guess }) => {
    if (!kind.props || isDoubtful) return;
    for (const mention of names.mentions) {
      const member = mention.name === "props" && !isWrittenThrough(mention) ? memberOf(mention) : null;
      const name = member?.property;
      if (!member || name == null || declared.includes(name) || Object.hasOwn(Object.prototype, name)) continue;
      say(member.frame.node, {
        code: "WOML_REUSABLE_PROP_UNKNOWN",
        severity: "warning",
        message: `No <prop> declares ${quoted(name)}: it reads undefined.`,
        hint: guess(name, declared, declared.length === 0 ? "Declare it: <props><prop name=... /></props>." : HINT),
      });
    }
  });
  return rule(findings, document);
};

const HINT = "Declare it in <props>: <prop name=... />. Of a name with dashes, a script has camel case: api-key is props.apiKey.";

/** Whether a prop may have been meant by what has been reported: an element that is none of the language, or a prop without a name. */
const hasDoubtfulProp = ({ root }: Document): boolean =>
  elementsOf(root).some(({ name }) => !isElementName(name)) ||
  childrenNamed(root, "props").some((props) =>
    elementsOf(props).some((prop) => prop.name !== "prop" || textOf(prop, "name") === undefined),
  );
