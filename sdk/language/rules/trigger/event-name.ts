import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const LONGEST = 256;
const NAME = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+$/;

/** The name under which a signal is sent. */
export const eventName: Rule = (findings) => (element) => {
  const name = element.name === "event" ? element.attributes.get("name") : undefined;
  if (name?.value == null || (name.value.length <= LONGEST && NAME.test(name.value))) return;
  const message =
    name.value.length > LONGEST
      ? `The name of an event has at most ${LONGEST} characters.`
      : `${quoted(name.value)} is no name of an event.`;
  findings.onValue(name, {
    code: "WOML_EVENT_NAME_INVALID",
    message,
    hint: "Two lower case words or more, with a dot between: order.created.",
  });
};
