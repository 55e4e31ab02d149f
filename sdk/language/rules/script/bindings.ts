import type { Remark } from "../../diagnostic.ts";
import { isWritten, type Mention, memberOf } from "../../script/names.ts";
import { GIVEN } from "../../script/reading.ts";
import { type Judged, scriptRule } from "../../script/remarks.ts";
import type { Frame } from "../../script/walk.ts";
import type { Rule } from "../../visit.ts";

/** Members of Bun that open a connection. */
export const RAW_NETWORK: ReadonlySet<string> = new Set(["connect", "listen", "serve", "udpSocket"]);

const NETWORK: Remark = {
  code: "WOML_SCRIPT_RAW_NETWORK_UNSUPPORTED",
  message: "A script may not open connections of its own.",
  hint: "Call services.http.request or fetch.",
};
const FETCH_WRITE: Remark = {
  code: "WOML_SCRIPT_FETCH_WRITE_UNSUPPORTED",
  message: "A script may not replace fetch.",
  hint: "Take another name.",
};
const GLOBAL_FETCH: Remark = {
  code: "WOML_SCRIPT_GLOBAL_UNAVAILABLE",
  severity: "warning",
  message: "There is no globalThis.fetch here.",
  hint: "Write fetch alone: it is a name that the script is given, and no global.",
};
const IMPORT_HINT = 'Import a file with <module name="…" from="./….ts" />, and call services.<name>.<function>(…).';
const IMPORT: Remark = {
  code: "WOML_SCRIPT_DYNAMIC_IMPORT_UNSUPPORTED",
  message: "A script may not use import().",
  hint: IMPORT_HINT,
};
const REQUIRE: Remark = {
  code: "WOML_SCRIPT_MODULE_REQUIRE_UNSUPPORTED",
  message: "A script may not use require().",
  hint: IMPORT_HINT,
};

/** Names that a script may not say. */
export const bindings: Rule = scriptRule(({ reading: { names }, say }) => {
  for (const { name, node } of names.declarations) if (GIVEN.has(name)) say(node, shadowed(name));
  for (const { node } of names.others) if (node.type === "ImportExpression") say(node, IMPORT);
  for (const mention of names.mentions) judge(mention, say);
});

function judge(mention: Mention, say: Judged["say"]): void {
  const { name, frame, writes } = mention;
  const member = memberOf(mention);
  if (name === "fetch" && writes) say(frame.node, FETCH_WRITE);
  else if (name === "WebSocket") say(frame.node, NETWORK);
  else if (name === "require" && isCallee(frame)) say(frame.node, REQUIRE);
  else if (name === "Bun" && member && RAW_NETWORK.has(member.property ?? "")) say(member.frame.node, NETWORK);
  else if (name === "globalThis" && member?.property === "fetch") {
    say(member.frame.node, isWritten(member.frame) ? FETCH_WRITE : GLOBAL_FETCH);
  }
}

export const isCallee = ({ key, up }: Frame): boolean => key === "callee" && up?.node.type === "CallExpression";

const shadowed = (name: string): Remark => ({
  code: "WOML_SCRIPT_BINDING_SHADOWED",
  message: `A script may not declare ${name}: the platform gives it that name.`,
  hint: "Take another name.",
});
