import assert from "node:assert/strict";
import { test } from "node:test";
import { openForFile, publish, type Tenant } from "./opened.ts";

const opened = await openForFile();
const script = { source: "return 1;" };

/** Two things that are not run yet, messages of Telegram and a queue, around two steps told apart by a switch. */
const definition = {
  schemaVersion: 1,
  workflow: { id: "later" },
  policy: { queue: "slow" },
  triggers: [{ id: "often", kind: "telegram", events: ["message"], botToken: "BOT" }],
  nodes: [
    {
      kind: "switch",
      id: "way:switch",
      choice: "way",
      value: ["payload", "way"],
      arms: [{ arm: "case-1", equals: "x" }],
      otherwise: "default",
    },
    { kind: "choice", id: "way" },
    { kind: "step", id: "x", script },
    { kind: "step", id: "y", script },
    { kind: "step", id: "last", script },
  ],
  edges: [
    { from: "way:switch", to: "x", arm: "case-1" },
    { from: "way:switch", to: "y", arm: "default" },
    { from: "x", to: "way" },
    { from: "y", to: "way" },
    { from: "way", to: "last" },
  ],
  result: "last",
};
const REUSABLE = `<woml><step name="Say"><script>return 1;</script></step></woml>`;
const looped = (body: string): string =>
  `<woml><workflow id="w"><triggers><manual id="go"/></triggers><steps><for-each id="all" items="{{context.payload.list}}">
<step id="one"><script>${body}</script></step></for-each></steps></workflow></woml>`.replaceAll("\n", "");
const OFTEN = `<woml>
<workflow id="often"><triggers>
<telegram id="said" events="message" bot-token="{{secrets.BOT}}"/></triggers><steps><step id="a"><script>return 1;</script></step></steps></workflow></woml>`;

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly start: { readonly line: number; readonly column: number } | null;
}
const FIELDS = "file code severity message hint start { line column }";
async function publishText(
  tenant: Tenant,
  text: string,
): Promise<{ readonly version: string | null; readonly diagnostics: readonly Told[] }> {
  const query = `mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { ${FIELDS} } } }`;
  return tenant.field("publish", query, { input: { files: [{ path: "w.woml", text }] } });
}
const check = (tenant: Tenant, ...texts: string[]): Promise<readonly Told[]> =>
  tenant.field("check", `query ($files: [SourceInput!]!) { check(files: $files) { ${FIELDS} } }`, {
    files: texts.map((text, at) => ({ path: `${at}.woml`, text })),
  });

test("a definition with parts that are not run yet is not stored, and each is named by its pointer into what was sent", async () => {
  const tenant = await opened.tenant("later-definition");
  const { version, created, diagnostics } = await publish(tenant, { definition });
  assert.deepEqual([version, created], [null, false]);
  assert.deepEqual(
    diagnostics.map(({ code, file, message }) => [code, file, message]),
    [["WOML_FEATURE_NOT_EXECUTABLE", "definition", "/triggers/0: <telegram> cannot be run yet."]],
  );
  const { workflows } = (await tenant.ask("{ workflows { edges { cursor } } }")).data ?? {};
  assert.deepEqual(workflows, { edges: [] });
});

test("a source with such parts is sound to check and not stored by publish, which says where they stand and what is run", async () => {
  const tenant = await opened.tenant("later-source");
  assert.deepEqual(await check(tenant, OFTEN), []);
  const { version, diagnostics } = await publishText(tenant, OFTEN);
  assert.equal(version, null);
  assert.deepEqual(
    diagnostics.map(({ code, message, start }) => [code, message, start]),
    [["WOML_FEATURE_NOT_EXECUTABLE", "<telegram> cannot be run yet.", { line: 3, column: 1 }]],
  );
  assert.match(diagnostics[0]?.hint ?? "", /are run today\.$/);
});

test("a capability of the platform's own needs no grant", async () => {
  const tenant = await opened.tenant("later-own");
  const uses = [{ alias: "state", capability: "state", range: "*" }];
  const { policy: _, ...plain } = definition;
  const calling = {
    ...plain,
    triggers: [{ id: "go", kind: "manual" }],
    nodes: [{ kind: "step", id: "a", script: { ...script, calls: ["state.get"] } }],
  };
  const { version, diagnostics } = await publish(tenant, { definition: { ...calling, uses, edges: [], result: "a" } });
  assert.deepEqual([version !== null, diagnostics], [true, []]);
});

test("a document of a reusable definition is sound to check, alone and beside a workflow", async () => {
  const tenant = await opened.tenant("later-reusable");
  assert.deepEqual(await check(tenant, REUSABLE), []);
  assert.deepEqual(await check(tenant, REUSABLE, OFTEN), []);
  assert.deepEqual(await check(opened.admin, REUSABLE), []);
});

test("a reusable definition alone is no version, and publish says why", async () => {
  const tenant = await opened.tenant("later-alone");
  const { version, diagnostics } = await publishText(tenant, REUSABLE);
  assert.deepEqual([version, diagnostics.map(({ code }) => code)], [null, ["WOML_DEFINITION_NOT_RUNNABLE"]]);
});

test("what a step in the body of a loop calls and names is judged as any other, at its place", async () => {
  const tenant = await opened.tenant("later-loop");
  const text = looped("return await services.http.get({});");
  const [told] = await check(tenant, text);
  assert.deepEqual([told?.code, told?.start?.column], ["WOML_CAPABILITY_NOT_GRANTED", text.indexOf("services.http") + 1]);
  const naming = looped("return typeof secrets.NOT_SET;");
  const [warned] = await check(tenant, naming);
  assert.deepEqual([warned?.code, warned?.start?.column], ["WOML_SECRET_NOT_SET", naming.indexOf("secrets.NOT_SET") + 1]);
});
