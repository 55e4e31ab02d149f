import { isCapabilityId, isRange } from "@woml/model/laws";
import type { Code } from "../../codes.ts";
import { quoted } from "../../source.ts";
import { textOf } from "../../tree.ts";
import type { Look, Rule } from "../../visit.ts";

/** A definition has 64 places for capabilities, and one of them is that of http. */
const MOST_USES = 63;
/** Which capability, and which versions of it. */
export const uses: Rule = (findings): Look => {
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
  };
};

const RANGE_HINT = "Write ^1, ~1.2, 1.2.3, 1.x, * or comparators with a blank between them: >=1.2.0 <2.0.0.";
const TOO_MANY = {
  code: "WOML_MODULE_ALIAS_LIMIT_EXCEEDED",
  message: `A workflow uses at most ${MOST_USES} capabilities.`,
  hint: "Split the workflow.",
} as const;
