// What observes a run: hooks, the own lifecycle of what is reusable, and notices; and what is reusable itself. Seen by whoever is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ended, field, flat, runUntil, type SeenRun, start, upForFile } from "../support/platform.ts";
import { woml } from "../support/woml.ts";

const { platform, folder, far } = await upForFile();
const SECRET = "pager-4f9a71cd02be";
assert.equal((await woml(folder, ["secrets", "set", "PAGER"], { stdin: SECRET })).code, 0);

const PUBLISH = "mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { file code message } } }";
async function published(text: string, files: Readonly<Record<string, string>> = {}): Promise<readonly { readonly code: string }[]> {
  const all = Object.entries({ "main.woml": text, ...files }).map(([path, one]) => ({ path, text: one }));
  const answer = await platform.ask(PUBLISH, { input: { files: all } });
  const { version, diagnostics } = field<{ version: string | null; diagnostics: readonly { code: string }[] }>(answer, "publish");
  assert.notEqual(version, null, JSON.stringify(diagnostics));
  return diagnostics;
}
/** Bodies that were sent to `/ok?of=<name>` since. */
const heard = (of: string): readonly unknown[] =>
  far.heard.filter(({ path }) => path === `/ok?of=${of}`).map(({ body }) => JSON.parse(body));
const tell = (of: string, json: string): string =>
  `await services.http.request({ url: "${far.url}/ok?of=${of}", method: "POST", responseType: "text", json: ${json} });`;

const HOOKS = `query ($id: ID!) { run(id: $id) { status
  hooks(first: 50) { edges { node { event subject actions { id status failure } } } } } }`;
interface Hooked {
  readonly hooks: readonly {
    readonly event: string;
    readonly subject: string | null;
    readonly actions: readonly { readonly status: string }[];
  }[];
}
const hooksOf = async (id: string): Promise<Hooked> => flat(field(await platform.ask(HOOKS, { id }), "run"));
const ran = async (workflow: string, payload: object = {}): Promise<SeenRun> =>
  runUntil(platform, await start(platform, { workflow, payload }), ended, 30_000);

const all = (names: readonly string[], of: string): string =>
  names.map((name) => `<${name}><script>${tell(of, "{ ...lifecycle, steps: Object.keys(context.steps) }")}</script></${name}>`).join("");
const RUN_HOOKS = ["on-start", "on-success", "on-error", "on-cancel", "on-complete"];
const STEP_HOOKS = ["on-step-start", "on-step-success", "on-step-failure", "on-step-complete"];

test("hooks are told what happened, in order, and what they fail with changes nothing", async () => {
  await published(`<woml><workflow id="told"><triggers><manual id="go"/></triggers>
    <lifecycle>${all([...RUN_HOOKS, ...STEP_HOOKS], "told")}</lifecycle>
    <steps><step id="a"><script>return 1;</script></step>
    <step id="b" retry="2" retry-delay="1s" retry-backoff="fixed"><script>if (attempt.number === 1) throw new Error("once"); return 2;</script></step></steps></workflow></woml>`);
  const run = await ran("told");
  assert.deepEqual([run.status, run.result], ["SUCCEEDED", 2]);
  const workflow = { id: "told" };
  const of = (id: string, attempts: number, more: object = {}): object => ({ id, ...more, attempts });
  const done = { outcome: "succeeded" };
  assert.deepEqual(
    heard("told").toSorted(byEvent),
    [
      { event: "run_start", workflow, steps: [] },
      { event: "step_start", workflow, step: of("a", 0), steps: [] },
      { event: "step_success", workflow, step: of("a", 1, done), steps: ["a"] },
      { event: "step_complete", workflow, step: of("a", 1, done), steps: ["a"] },
      { event: "step_start", workflow, step: of("b", 0), steps: ["a"] },
      { event: "step_success", workflow, step: of("b", 2, done), steps: ["a", "b"] },
      { event: "step_complete", workflow, step: of("b", 2, done), steps: ["a", "b"] },
      { event: "run_success", workflow: { ...workflow, ...done }, steps: ["a", "b"] },
      { event: "run_complete", workflow: { ...workflow, ...done }, steps: ["a", "b"] },
    ].toSorted(byEvent),
  );
  const { hooks } = await hooksOf(run.id);
  const settled = hooks.flatMap(({ actions }) => actions.map(({ status }) => status));
  assert.deepEqual(
    settled,
    Array.from({ length: 9 }, () => "succeeded"),
  );
});
const byEvent = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

test("a failure and a cancel are told; an action that throws is a warning, and the run ends as it would", async () => {
  const hooks = `<on-step-failure steps="a"><script>throw new Error("of the hook");</script></on-step-failure>${all(["on-error", "on-cancel"], "ill")}`;
  await published(`<woml><workflow id="ill"><triggers><manual id="go"/></triggers><lifecycle>${hooks}</lifecycle>
    <steps><step id="a"><script>if (context.payload.ill) throw new Error("ill"); await services.http.request({ url: "${far.url}/held" });
    return 1;</script></step></steps></workflow></woml>`);
  const failed = await ran("ill", { ill: true });
  assert.deepEqual([failed.status, failed.failure?.code], ["FAILED", "WOML_SCRIPT_THROWN"]);
  assert.deepEqual(heard("ill"), [
    {
      ...{ event: "run_failure", workflow: { id: "ill", outcome: "failed" }, steps: [] },
      failure: { code: "WOML_SCRIPT_THROWN", message: "ill" },
    },
  ]);
  const held = await start(platform, { workflow: "ill", payload: {} });
  await runUntil(platform, held, ({ events }) => events.edges.some(({ node }) => node.type === "operation_started"));
  await platform.ask("mutation ($input: CancelRunInput!) { cancelRun(input: $input) { run { id } } }", { input: { run: held } });
  await runUntil(platform, held, (run) => run.status === "CANCELLING" || ended(run));
  far.release();
  assert.equal((await runUntil(platform, held, ended, 30_000)).status, "CANCELLED");
  assert.deepEqual(heard("ill")[1], { event: "run_cancel", workflow: { id: "ill", outcome: "cancelled" }, steps: [] });
});

const PRICE = `<woml>
  <props><prop name="amount" required="true"/><prop name="country-code"/><prop name="key" secret="true"/></props>
  <step name="Price"><script>
    if (props.amount &lt; 0) throw new Error("negative");
    await services.http.request({ url: "${"FAR"}/ok?of=price", method: "POST", responseType: "text",
      json: { props: { ...props, key: 0 }, authorization: "Bearer " + props.key } });
    return { total: props.amount * 2 };
  </script></step>
  <lifecycle>
    <on-success><script>${"TELL"}</script></on-success>
    <on-error><script>${"TELL"}</script></on-error>
    <on-complete><script>${"TELL"}</script></on-complete>
  </lifecycle>
</woml>`
  .replaceAll("FAR", far.url)
  .replaceAll("TELL", tell("own", "{ ...lifecycle, amount: props.amount, sees: Object.keys(context.steps) }"));

test("a reusable step is given its props: texts, values of their type, secrets that no log holds; and its own lifecycle goes on behind it", async () => {
  const diagnostics = await published(
    `<woml><imports><module name="price" from="./parts/price.woml"/></imports><workflow id="reused"><triggers><manual id="go"/></triggers><steps>
    <step id="load"><script>return context.payload;</script></step>
    <price id="priced" amount="{{context.steps.load.amount}}" country-code="de" key="{{secrets.PAGER}}"/></steps></workflow></woml>`,
    { "parts/price.woml": PRICE.replace("&lt;", "<") },
  );
  assert.deepEqual(diagnostics, []);
  const run = await ran("reused", { amount: 21 });
  assert.deepEqual([run.status, run.result], ["SUCCEEDED", { total: 42 }]);
  assert.deepEqual(heard("price"), [{ props: { amount: 21, countryCode: "de", key: 0 }, authorization: `Bearer ${SECRET}` }]);
  const told = {
    workflow: { id: "reused" },
    step: { id: "priced", outcome: "succeeded", attempts: 1 },
    amount: 21,
    sees: ["load", "priced"],
  };
  assert.deepEqual(heard("own"), [
    { event: "step_success", ...told },
    { event: "step_complete", ...told },
  ]);
  assert.ok(!JSON.stringify(run.events).includes(SECRET));
  const failed = await ran("reused", { amount: -1 });
  assert.equal(failed.status, "FAILED");
  assert.equal((heard("own")[2] as { failure: { message: string } }).failure.message, "negative");
  const missing = await ran("reused", {});
  assert.equal(missing.failure?.code, "WOML_REFERENCE_NOT_AVAILABLE");
});

const PAGER = `<woml>
  <props><prop name="room" required="true"/><prop name="key" secret="true"/></props>
  <provider kind="notification"><script>
    const answer = ${tell("page", '{ ...notification, room: props.room, key: "Basic " + btoa("u:" + props.key) }')}
    return { messageId: "m-" + attempt.number, status: answer.status };
  </script></provider>
</woml>`;

test("a provider of a reusable definition tells of what a hook says, with the values in it", async () => {
  await published(
    `<woml><imports><module name="pager" from="./pager.woml"/></imports><workflow id="paged"><triggers><manual id="go"/></triggers>
    <lifecycle><on-complete><notify>
      <pager room="ops" key="{{secrets.PAGER}}" message="{{lifecycle.workflow.id}}: {{context.steps.a.n}} of {{context.payload.of}} ({{lifecycle.workflow.outcome}})"/>
      <pager room="{{context.payload.rooms}}" key="{{secrets.PAGER}}" message="{{context.payload.none}}"/>
    </notify></on-complete></lifecycle>
    <steps><step id="a"><script>return { n: 3 };</script></step></steps></workflow></woml>`,
    { "pager.woml": PAGER },
  );
  const run = await ran("paged", { of: true, rooms: ["x"] });
  assert.equal(run.status, "SUCCEEDED");
  const [page, ...more] = heard("page") as readonly Readonly<Record<string, unknown>>[];
  assert.match(String(page?.["idempotencyKey"]), /^sha256:/);
  assert.deepEqual(
    { ...page, idempotencyKey: "" },
    { message: "paged: 3 of true (succeeded)", idempotencyKey: "", room: "ops", key: `Basic ${btoa(`u:${SECRET}`)}` },
  );
  assert.deepEqual(more, []);
  const { hooks } = await hooksOf(run.id);
  const [{ actions = [] } = {}] = hooks;
  assert.deepEqual(
    actions.map((one) => [one.status, (one as unknown as { failure: { code: string } | null }).failure?.code]),
    [
      ["succeeded", undefined],
      ["failed", "WOML_LIFECYCLE_TEMPLATE_REFERENCE_INVALID"],
    ],
  );
});

test("a provider asks for a decision with a token that decides, and that no log holds", async () => {
  await published(
    `<woml><imports><module name="pager" from="./pager.woml"/></imports><workflow id="asked"><triggers><manual id="go"/></triggers>
    <steps><approval id="spend" name="Spend it" description="It is much."><notify><pager room="ops" key="{{secrets.PAGER}}"/></notify>
      <when-approved></when-approved><when-rejected></when-rejected></approval></steps></workflow></woml>`,
    { "pager.woml": PAGER },
  );
  const before = heard("page").length;
  const id = await start(platform, { workflow: "asked", payload: {} });
  await runUntil(platform, id, () => heard("page").length > before);
  const asked = heard("page")[before] as { message: string; actions: readonly { decision: string; token: string }[] };
  assert.equal(asked.message, "asked: Spend it waits for a decision, to approve or to reject. It is much.");
  assert.deepEqual(
    asked.actions.map(({ decision }) => decision),
    ["approved", "rejected"],
  );
  const token = asked.actions[0]?.token ?? "";
  const url = new URL(`/api/v1/approvals/${token}/decision`, platform.graphql);
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ decision: "approved" }) });
  assert.equal(answer.status, 200, await answer.text());
  const run = await runUntil(platform, id, ended);
  assert.equal((run.result as { decision: string }).decision, "approved");
  assert.ok(!JSON.stringify(run).includes(token.split(".")[1] ?? ""));
});
