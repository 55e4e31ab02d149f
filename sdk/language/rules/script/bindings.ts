import type { Remark } from "../../diagnostic.ts";
import { isWritten, type Mention, memberOf } from "../../script/names.ts";
import { GIVEN } from "../../script/reading.ts";
import type { Frame } from "../../script/walk.ts";
import type { Rule } from "../../visit.ts";

const RAW_NETWORK: ReadonlySet<string> = new Set(["connect", "listen", "serve", "udpSocket"]);
const SHADOW_HINT = "Take another name.";
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
const LIFECYCLE: Remark = {
  code: "WOML_LIFECYCLE_BINDING_UNAVAILABLE",
  message: "lifecycle is given to the scripts of hooks alone.",
  hint: "Use it in <lifecycle>.",
};
const IMPORT: Remark = {
  code: "WOML_SCRIPT_DYNAMIC_IMPORT_UNSUPPORTED",
  message: "A script may not use import().",
  hint: "Write what it needs into the script.",
};
const REQUIRE: Remark = { ...IMPORT, code: "WOML_SCRIPT_MODULE_REQUIRE_UNSUPPORTED", message: "A script may not use require()." };

/** Names that a script may not say, each reported where it first stands. */
export const scriptBindings: Rule =
  (findings, { read }) =>
  (element) => {
    if (element.name !== "script" || findings.isRefused(element)) return;
    const { names, shift } = read(element);
    const first = new Map<string, { readonly node: Frame["node"]; readonly remark: Remark }>();
    const report = (node: Frame["node"], remark: Remark): void => {
      const key = `${remark.code} ${remark.message}`;
      if (node.start < (first.get(key)?.node.start ?? Number.POSITIVE_INFINITY)) first.set(key, { node, remark });
    };
    for (const { name, node } of names.declarations) if (GIVEN.has(name)) report(node as Frame["node"], shadowed(name));
    for (const { node } of names.others) if (node.type === "ImportExpression") report(node, IMPORT);
    for (const mention of names.mentions) judge(mention, report);
    for (const { node, remark } of first.values()) findings.add({ start: node.start - shift, end: node.end - shift }, remark);
  };

function judge(mention: Mention, report: (node: Frame["node"], remark: Remark) => void): void {
  const { name, frame, writes } = mention;
  const member = memberOf(mention);
  if (name === "fetch" && writes) report(frame.node, FETCH_WRITE);
  else if (name === "lifecycle") report(frame.node, LIFECYCLE);
  else if (name === "WebSocket") report(frame.node, NETWORK);
  else if (name === "require" && frame.key === "callee" && frame.up?.node.type === "CallExpression") report(frame.node, REQUIRE);
  else if (name === "Bun" && member && RAW_NETWORK.has(member.property ?? "")) report(member.frame.node, NETWORK);
  else if (name === "globalThis" && member?.property === "fetch") {
    report(member.frame.node, isWritten(member.frame) ? FETCH_WRITE : GLOBAL_FETCH);
  }
}

const shadowed = (name: string): Remark => ({
  code: "WOML_SCRIPT_BINDING_SHADOWED",
  message: `A script may not declare ${name}: the platform gives it that name.`,
  hint: SHADOW_HINT,
});
