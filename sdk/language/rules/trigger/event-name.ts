import { signalFault } from "@woml/model/laws";
import type { Rule } from "../../visit.ts";

/** The name under which a signal is sent. */
export const eventName: Rule = (findings) => (element) => {
  const name = element.name === "event" ? element.attributes.get("name") : undefined;
  const message = name?.value == null ? null : signalFault(name.value);
  if (!name || message === null) return;
  findings.onValue(name, {
    code: "WOML_EVENT_NAME_INVALID",
    message,
    hint: "Two lower case words or more, with a dot between: order.created.",
  });
};
