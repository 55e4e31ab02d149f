import type { Remark } from "../../diagnostic.ts";
import { ABSENT, PARTIAL, PARTS, USUAL } from "../../script/absent.ts";
import type { ScriptKind } from "../../script/kind.ts";
import { type Mention, memberOf } from "../../script/names.ts";
import { scriptRule } from "../../script/remarks.ts";
import { staticKey } from "../../script/walk.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";
import { isCallee, RAW_NETWORK } from "./bindings.ts";

/** Names that mean something where WOML 1.0 was made, and nothing when the script runs here. Asking for their type is no use of them. */
export const absent: Rule = scriptRule(({ reading: { names }, kind, say }) => {
  for (const mention of names.mentions) {
    const { frame } = mention;
    const isAsked = frame.up?.node.type === "UnaryExpression" && frame.up.node["operator"] === "typeof";
    if (isAsked || mention.writes) continue;
    const member = memberOf(mention);
    const hint = ABSENT.get(mention.name) ?? USUAL.get(mention.name) ?? meantBy(mention.name, kind);
    if (hint !== undefined && !isRefused(mention, member?.property)) say(frame.node, unavailable(mention.name, hint));
    if (!member || member.property === null) continue;
    const way = ABSENT.get(member.property);
    if (mention.name === "globalThis" && way !== undefined) say(member.frame.node, unavailable(member.property, way));
    const partial = PARTIAL.get(mention.name);
    if (partial && !partial.has.has(member.property) && !Object.hasOwn(Object.prototype, member.property)) {
      say(member.frame.node, unavailable(`${mention.name}.${member.property}`, partial.hint));
    }
  }
});

/** What is given as a part of something else, or to scripts of another kind. */
function meantBy(name: string, kind: ScriptKind): string | undefined {
  if (PARTS.has(name)) return kind.context ? `Write context.${name}.` : "A provider is given props and notification.";
  if (name === "props" && !kind.props)
    return "Props are given to the scripts of reusable definitions: read context.payload and context.steps.";
  return name === "notification" && !kind.notification ? "A notification is given to the script of a <provider>." : undefined;
}

/** Said by the rules of bindings and of messages. */
function isRefused({ name, frame }: Mention, property: string | null | undefined): boolean {
  const held = frame.up?.up?.node;
  if (name === "props") return held?.type === "Property" && CREDENTIALS.has(staticKey(held["key"], held["computed"]) ?? "");
  if (name === "require") return isCallee(frame);
  return name === "WebSocket" || (name === "Bun" && RAW_NETWORK.has(property ?? ""));
}

const unavailable = (name: string, hint: string): Remark => ({
  code: "WOML_SCRIPT_GLOBAL_UNAVAILABLE",
  severity: "warning",
  message: `There is no ${quoted(name)} here.`,
  hint,
});

const CREDENTIALS: ReadonlySet<string> = new Set(["botToken", "accessToken"]);
