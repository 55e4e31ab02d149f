import type { Rule } from "../../visit.ts";
import { isBare } from "../lifecycle/actions.ts";

export const notifyNotEmpty: Rule =
  (findings, { text }) =>
  (element) => {
    if (element.name !== "notify" || !isBare(element, text)) return;
    const hint = 'Name a provider in it: <slack channels="#ops" bot-token="{{secrets.BOT}}" app-token="{{secrets.APP}}" />.';
    findings.add(element.openRange, { code: "WOML_NOTIFY_EMPTY", message: "<notify> tells nobody.", hint });
  };
