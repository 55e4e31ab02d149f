import type { Remark } from "../../diagnostic.ts";
import type { ScriptKind } from "../../script/kind.ts";
import { isWrittenThrough, type Mention } from "../../script/names.ts";
import { scriptRule } from "../../script/remarks.ts";
import type { Rule } from "../../visit.ts";

/** What is said of a name where a script is not given it, and where it is and writes to it. */
const NAMES: ReadonlyMap<string, { readonly is: keyof ScriptKind; readonly absent?: Remark; readonly written?: Remark }> = new Map([
  [
    "lifecycle",
    {
      is: "lifecycle" as const,
      absent: {
        code: "WOML_LIFECYCLE_BINDING_UNAVAILABLE" as const,
        message: "lifecycle is given to the scripts of hooks alone.",
        hint: "Use it in <lifecycle>.",
      },
      written: readOnly("WOML_LIFECYCLE_BINDING_READ_ONLY", "lifecycle"),
    },
  ],
  [
    "context",
    {
      is: "context" as const,
      absent: {
        code: "WOML_PROVIDER_CONTEXT_UNAVAILABLE" as const,
        message: "A provider knows nothing of the workflow: context is not given to it.",
        hint: "Read notification, and declare a <prop> for what else it needs.",
      },
    },
  ],
  ["props", { is: "props" as const, written: readOnly("WOML_REUSABLE_PROPS_READ_ONLY", "props") }],
  ["notification", { is: "notification" as const, written: readOnly("WOML_PROVIDER_NOTIFICATION_READ_ONLY", "notification") }],
]);

function readOnly(code: Remark["code"], name: string): Remark {
  return { code, message: `A script may not write to ${name}.`, hint: "Take a variable of your own." };
}

/** What a script says is what one of its kind is given, and it leaves that as it is. */
export const given: Rule = scriptRule(({ reading: { names }, kind, say }) => {
  for (const mention of names.mentions) {
    const remark = remarkOn(mention, kind);
    if (remark) say(mention.frame.node, remark);
  }
});

function remarkOn(mention: Mention, kind: ScriptKind): Remark | null {
  const rule = NAMES.get(mention.name);
  if (!rule) return null;
  if (!kind[rule.is]) return rule.absent ?? null;
  return rule.written && isWrittenThrough(mention) ? rule.written : null;
}
