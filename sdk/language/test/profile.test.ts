import assert from "node:assert/strict";
import { test } from "node:test";
import { codes, marked, step } from "./sources.ts";

const flow = (id: string): string => `<workflow id="${id}"><steps>${step("s")}</steps></workflow>`;
const reusable = "<step><script>return 1;</script></step>";
const provider = '<provider kind="notification"><script>return { messageId: "1" };</script></provider>';
const props = '<props><prop name="a" /></props>';
const imports = '<imports><uses capability="a" version="^1" as="pay" /></imports>';
const lifecycle = "<lifecycle><on-success><script>1;</script></on-success></lifecycle>";
const woml = (inside: string): string => `<woml>${inside}</woml>`;
const errors = (text: string): readonly string[] => codes(text).filter((code) => code !== "WOML_MODULE_UNUSED");

for (const inside of [
  flow("w"),
  imports + flow("w"),
  reusable,
  props + reusable,
  imports + props + reusable + lifecycle,
  reusable + lifecycle,
  provider,
  imports + props + provider + lifecycle,
  `<!-- a -->${flow("w")}<!-- b -->`,
  '<props><prop name="a-b1" required="true" secret="false" /><prop name="name" secret="true" /></props><step name="N" description="D"><script>1</script></step>',
]) {
  test(`a document: ${inside.slice(0, 100)}`, () => assert.deepEqual(errors(woml(inside)), []));
}

for (const [inside, code, mark] of [
  ["", "DOCUMENT_STRUCTURE_INVALID", "<woml>"],
  [imports, "DOCUMENT_STRUCTURE_INVALID", "<imports>"],
  [lifecycle, "DOCUMENT_STRUCTURE_INVALID", "<lifecycle>"],
  [props, "DOCUMENT_PROFILE_INVALID", "<woml>"],
  [flow("a") + flow("b"), "DOCUMENT_STRUCTURE_INVALID", '<workflow id="b">'],
  [reusable + reusable, "DOCUMENT_PROFILE_INVALID", "<step>"],
  [provider + provider, "DOCUMENT_PROFILE_INVALID", '<provider kind="notification">'],
  [flow("w") + reusable, "DOCUMENT_PROFILE_INVALID", '<workflow id="w">'],
  [reusable + flow("w"), "DOCUMENT_PROFILE_INVALID", "<step>"],
  [provider + reusable, "DOCUMENT_PROFILE_INVALID", '<provider kind="notification">'],
  [flow("w") + imports, "DOCUMENT_STRUCTURE_INVALID", "<imports>"],
  [imports + imports.replace("pay", "buy") + flow("w"), "DOCUMENT_STRUCTURE_INVALID", "<imports>"],
  [props + imports + reusable, "DOCUMENT_STRUCTURE_INVALID", "<imports>"],
  [reusable + props, "DOCUMENT_STRUCTURE_INVALID", "<props>"],
  [lifecycle + reusable, "DOCUMENT_STRUCTURE_INVALID", "<step>"],
  [props + props.replace('"a"', '"b"') + reusable, "DOCUMENT_STRUCTURE_INVALID", "<props>"],
  [reusable + lifecycle + lifecycle, "DOCUMENT_STRUCTURE_INVALID", "<lifecycle>"],
  [flow("w") + lifecycle, "DOCUMENT_STRUCTURE_INVALID", "<lifecycle>"],
  [props + flow("w"), "PROPS_WORKFLOW_FORBIDDEN", "<props>"],
  [`<triggers />${flow("w")}`, "DOCUMENT_STRUCTURE_INVALID", "<triggers />"],
  [`<steps>${step("s")}</steps>`, "DOCUMENT_STRUCTURE_INVALID", "<steps>"],
  ["<workflw />", "UNKNOWN_ELEMENT", "<workflw />"],
  [` text ${flow("w")}`, "UNEXPECTED_CONTENT", " text"],
  [`<props></props>${reusable}`, "PROPS_EMPTY", "<props>"],
  [`<props>${step("s")}</props>${reusable}`, "PROPS_INVALID_CHILD", '<step id="s">'],
  [`<props><prop name="a">x</prop></props>${reusable}`, "PROP_NOT_EMPTY", "x"],
  [`<props><prop name="a"><prop name="b" /></prop></props>${reusable}`, "PROP_NOT_EMPTY", '<prop name="b" />'],
  [`<props><prop /></props>${reusable}`, "MISSING_ATTRIBUTE", "<prop />"],
  [`<props><prop name="a" type="text" /></props>${reusable}`, "UNKNOWN_ATTRIBUTE", "type"],
  ...["", "A", "aB", "a_b", "1a", "a-", "-a", "a--b", "__proto__", "x".repeat(129)].map(
    (name) => [`<props><prop name="${name}" /></props>${reusable}`, "PROP_NAME_INVALID", name] as const,
  ),
  ...["constructor", "prototype"].map((name) => [`<props><prop name="${name}" /></props>${reusable}`, "PROP_NAME_RESERVED", name] as const),
  [`<props><prop name="a" /><prop name="a" /></props>${reusable}`, "PROP_DUPLICATE", "a"],
  [`<props><prop name="a-1" /><prop name="a1" /></props>${reusable}`, "PROP_DUPLICATE", "a1"],
  ...["", "True", "yes", " true", "1"].flatMap((value) =>
    ["required", "secret"].map(
      (flag) => [`<props><prop name="a" ${flag}="${value}" /></props>${reusable}`, "PROP_BOOLEAN_INVALID", value] as const,
    ),
  ),
  ["<step />", "REUSABLE_STEP_OPERATION_REQUIRED", "<step />"],
  ["<step><code>1</code></step>", "UNKNOWN_ELEMENT", "<code>"],
  ['<provider kind="notification"><send /></provider>', "UNKNOWN_ELEMENT", "<send />"],
  ["<step><script>1</script><script >2</script></step>", "REUSABLE_STEP_OPERATION_REQUIRED", "<script >"],
  ['<provider kind="notification" />', "PROVIDER_OPERATION_REQUIRED", '<provider kind="notification" />'],
  ["<step><script /></step>", "SCRIPT_BODY_REQUIRED", "<script />"],
  ['<provider kind="notification"><script /></provider>', "SCRIPT_BODY_REQUIRED", "<script />"],
  ['<step id="a"><script>1</script></step>', "UNKNOWN_ATTRIBUTE", "id"],
  ['<step retry="2"><script>1</script></step>', "UNKNOWN_ATTRIBUTE", "retry"],
  ['<step timeout="2s"><script>1</script></step>', "UNKNOWN_ATTRIBUTE", "timeout"],
  ['<step name=" "><script>1</script></step>', "EMPTY_METADATA", " "],
  ["<provider><script>1</script></provider>", "MISSING_ATTRIBUTE", "<provider>"],
  ['<provider kind="Notification"><script>1</script></provider>', "PROVIDER_KIND_UNSUPPORTED", "Notification"],
  ['<provider kind="notification" id="p"><script>1</script></provider>', "UNKNOWN_ATTRIBUTE", "id"],
] as const) {
  test(`${code}: ${inside.slice(0, 100)}`, () => {
    assert.deepEqual(errors(woml(inside)), [`WOML_${code}`]);
    assert.ok(marked(woml(inside)).includes(mark), marked(woml(inside)).join());
  });
}

test("<woml> has no attributes, and is the root", () => {
  assert.deepEqual(codes(woml(flow("w")).replace("<woml>", '<woml version="1">')), ["WOML_UNKNOWN_ATTRIBUTE"]);
  assert.deepEqual(codes(flow("w")), ["WOML_EXPECTED_DOCUMENT_ROOT"]);
  assert.deepEqual(codes(woml(flow("w")).replaceAll("woml", "Woml")), ["WOML_EXPECTED_DOCUMENT_ROOT"]);
});
