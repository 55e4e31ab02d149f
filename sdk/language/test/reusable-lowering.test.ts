import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Node } from "@woml/model";
import { checkWith, definition, importing, module, provider, withImports } from "./definitions.ts";
import { step, workflow } from "./sources.ts";

const made = (text: string, files?: Readonly<Record<string, string>>): Definition => {
  const { definition: answer, diagnostics } = checkWith(text, files);
  assert.ok(answer, JSON.stringify(diagnostics));
  return answer;
};
const node = ({ nodes }: Definition, id: string): Node | undefined => nodes.find((one) => one.id === id);

test("a tag is a step with the definition's script and the props that are given", () => {
  const tags =
    '<add-tax id="t" country-code="d&amp;e" price="{{context.steps.s.a}}" retry="2" /><with-key id="k" api-key="{{secrets.TOKEN}}" />';
  const answer = made(importing(step("s") + tags));
  assert.deepEqual(node(answer, "t"), {
    kind: "step",
    id: "t",
    script: { source: "return props;", needs: { payload: false, steps: [] } },
    reusable: {
      props: [
        { name: "countryCode", value: { kind: "literal", text: "d&e" } },
        { name: "price", value: { kind: "reference", path: ["steps", "s", "a"] } },
      ],
    },
    retry: { maxAttempts: 2, backoff: { kind: "exponential", delayMs: 1_000, maxDelayMs: 30_000 } },
  });
  assert.deepEqual(node(answer, "k"), {
    kind: "step",
    id: "k",
    script: { source: "return props;", needs: { payload: false, steps: [] } },
    reusable: { props: [{ name: "apiKey", value: { kind: "secret", name: "TOKEN" } }] },
  });
  assert.equal(answer.result, "k");
});

test("a prop that is called like an attribute of the tag is given what that says", () => {
  const files = { "d.woml": definition('<prop name="id" required="true" /><prop name="name" />') };
  const answer = made(withImports(module("d-d", "./d.woml"), workflow('<d-d id="t" name="N" />')), files);
  const { id, name, reusable } = node(answer, "t") as Extract<Node, { kind: "step" }>;
  const literal = (prop: string, text: string) => ({ name: prop, value: { kind: "literal", text } });
  assert.deepEqual([id, name, reusable?.props], ["t", "N", [literal("id", "t"), literal("name", "N")]]);
});

const LIFE = [
  "<lifecycle><on-complete><script>await services.http.request({ url: 'x' })</script></on-complete>",
  "<on-success><script>1</script><script>2</script></on-success></lifecycle>",
].join("");

test("what its lifecycle does goes with it, and what all its scripts reach is placed at the tag", () => {
  const files = { "d.woml": definition("", "return 1;", LIFE) };
  const text = withImports(module("d-d", "./d.woml"), workflow('<d-d id="t" />'));
  const { definition: answer, spans, sourceMap } = checkWith(text, files);
  const found = answer && node(answer, "t");
  assert.ok(found?.kind === "step" && found.reusable);
  assert.deepEqual(
    found.reusable.onSuccess?.map(({ source }) => source),
    ["1", "2"],
  );
  assert.deepEqual(found.reusable.onComplete?.[0]?.calls, ["http.request"]);
  assert.equal(found.reusable.onError, undefined);
  assert.equal(found.script.calls, undefined);
  assert.deepEqual(answer?.uses, [{ alias: "http", capability: "http", range: "*" }]);
  const at = spans?.calls.get("t")?.get("http.request");
  assert.equal(text.slice(at?.start.offset, at?.end.offset), '<d-d id="t" />');
  assert.equal(text.slice(spans?.subjects.get("node:t")?.start.offset, spans?.subjects.get("node:t")?.end.offset), '<d-d id="t" />');
  assert.equal(sourceMap?.file, "flow.woml");
  const column = (files["d.woml"] ?? "").indexOf("return 1;") + 1;
  assert.deepEqual(sourceMap?.scripts["t"], { line: 1, column, file: "d.woml" });
  assert.equal(sourceMap?.scripts["t:on-success:2"]?.file, "d.woml");
});

test("a capability that a definition names is the workflow's when a tag stands in it", () => {
  const pay = '<imports><uses capability="acme.pay" version="^1" as="pay" /></imports>';
  const files = { "d.woml": definition("", "return services.pay.charge();").replace("<woml>", `<woml>${pay}`) };
  const text = withImports(module("d-d", "./d.woml"), workflow('<d-d id="t" />'));
  assert.deepEqual(made(text, files).uses, [{ alias: "pay", capability: "acme.pay", range: "^1" }]);
});

test("a tag in a loop is in the loop's body, with its item", () => {
  const loop = '<for-each id="l" items="{{context.payload.a}}"><add-tax id="t" price="{{context.item.p}}" /></for-each>';
  const found = node(made(importing(loop)), "l");
  const inner = found?.kind === "for-each" ? found.body.nodes[0] : undefined;
  assert.ok(inner?.kind === "step");
  assert.deepEqual(inner.reusable?.props, [{ name: "price", value: { kind: "reference", path: ["item", "p"] } }]);
});

test("a name is the tag's, or else the definition's", () => {
  const files = { "d.woml": "<woml><step name='Of all' description='D'><script>return 1;</script></step></woml>" };
  const text = withImports(module("d-d", "./d.woml"), workflow('<d-d id="a" /><d-d id="b" name="Mine" />'));
  const answer = made(text, files);
  const labels = ["a", "b"].map((id) => node(answer, id)).map((one) => one?.kind === "step" && [one.name, one.description]);
  assert.deepEqual(labels, [
    ["Of all", "D"],
    ["Mine", "D"],
  ]);
});

test("a definition depends on the meaning: not on alias, path, order of attributes or of props", () => {
  const props = ['<prop name="b-c" required="true" />', '<prop name="a" />'];
  const one = withImports(module("x-y", "./d.woml"), workflow('<x-y id="t" a="1" b-c="2" />'));
  const other = withImports(module("other", "./deep/er/e.woml"), workflow('<!-- the same -->\n<other b-c="2"\n a="1" id="t"></other>'));
  const canonical = (text: string, files: Readonly<Record<string, string>>): string => JSON.stringify(made(text, files));
  assert.equal(
    canonical(one, { "d.woml": definition(props.join("")) }),
    canonical(other, { "deep/er/e.woml": definition(props.toReversed().join("\n")) }),
  );
});

test("a provider's tag is a notice of its own kind, with the message of the hook", () => {
  const chat = '<chat room="{{context.payload.room}}" token="{{secrets.T}}" message="Failed: {{lifecycle.failure.code}}" />';
  const more = `<lifecycle><on-error><notify>${chat}</notify></on-error></lifecycle><triggers><manual id="go" /></triggers>`;
  const [hook] = made(importing(step("a"), more)).lifecycle ?? [];
  const [action] = hook?.actions ?? [];
  assert.ok(action?.kind === "notify");
  const [notice] = action.notices;
  assert.ok(notice?.provider === "custom");
  assert.equal(notice.script.source, "return { messageId: '1' };");
  assert.deepEqual(notice.reusable.props, [
    { name: "room", value: { kind: "reference", path: ["payload", "room"] } },
    { name: "token", value: { kind: "secret", name: "T" } },
  ]);
  assert.deepEqual(notice.message, [
    { kind: "text", text: "Failed: " },
    { kind: "reference", path: ["lifecycle", "failure", "code"] },
  ]);
});

test("every provider of a <notify> brings what its definition calls", () => {
  const chat = (capability: string): string =>
    provider("", `return services.${capability}.send();`).replace(
      "<woml>",
      `<woml><imports><uses capability="acme.${capability}" version="^1" as="${capability}" /></imports>`,
    );
  const text = workflow('<approval id="a"><notify><one-one /><two-two /></notify><when-approved /><when-rejected /></approval>');
  const answer = made(withImports(module("one-one", "./one.woml") + module("two-two", "./two.woml"), text), {
    "one.woml": chat("one"),
    "two.woml": chat("two"),
  });
  assert.deepEqual(
    answer.uses?.map(({ alias }) => alias),
    ["one", "two"],
  );
});
