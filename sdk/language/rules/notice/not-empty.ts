import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

export const notifyNotEmpty: Rule = (findings) => (element) => {
  if (element.name !== "notify" || elementsOf(element).length > 0) return;
  const hint = 'Name a provider in it: <slack channels="#ops" bot-token="{{secrets.BOT}}" app-token="{{secrets.APP}}" />.';
  findings.add(element.openRange, { code: "WOML_NOTIFY_EMPTY", message: "<notify> tells nobody.", hint });
};
