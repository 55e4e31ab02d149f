// Plugins that do what none should: each is refused or contained with a code, its run ends or waits as its class says, and a neighbour tenant's
// run with the same plugin is answered meanwhile.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { startFar } from "../../support/far.ts";
import { ended, field, flat, publish, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { grant, newTenant, review, rogueFor, tenantOf } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";

const far = await startFar();
after(() => far.close());
const { platform, folder } = await upForFile({ privateHosts: [`127.0.0.1:${far.port}`], heard: () => {} });
const own = await tenantOf(platform);
const neighbour = await newTenant(platform, "neighbour");
await grant(platform, neighbour.id, "http");
await review(platform, rogueFor(far.port), [own, neighbour.id]);
const SECRET = "sk_rogue_51HcafeBabe";
const SET = "mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { name } } }";
for (const key of [platform.key, neighbour.key]) {
  field(await platform.ask(SET, { input: { name: "ROGUE_KEY", value: SECRET } }, key), "setSecret");
}

function workflow(id: string, script: string): string {
  return `<woml><imports><uses capability="test.rogue" version="^1" as="rogue"/></imports>
    <workflow id="${id}"><triggers><manual id="go"/></triggers><steps><step id="only"><script>${script}</script></step></steps></workflow></woml>`;
}
const rested = (run: SeenRun): boolean => ended(run) || run.status === "NEEDS_RESOLUTION";
const OPERATIONS = "query ($id: ID!) { run(id: $id) { operations(first: 100) { edges { node { outcome tries failure } } } } }";
async function rests(id: string): Promise<{ readonly run: SeenRun; readonly outcomes: readonly string[]; readonly text: string }> {
  const run = await runUntil(platform, id, rested, 60_000);
  const answer = await platform.ask(OPERATIONS, { id });
  const { operations } = flat<{ operations: readonly { outcome: string; failure: { code: string } | null }[] }>(field(answer, "run"));
  return {
    run,
    outcomes: operations.map(({ outcome, failure }) => `${outcome} ${failure?.code ?? ""}`),
    text: JSON.stringify([run, answer]),
  };
}

/** The neighbour's runs, one after the other for as long as this file's tests run; how long each took. */
const took: number[] = [];
let neighbours = Promise.resolve();
let isOver = false;
before(async () => {
  await publish(platform, workflow("neighbour", 'return await services.rogue.read({ do: "say", text: "here" });'), neighbour.key);
  const once = async (): Promise<void> => {
    const from = performance.now();
    const id = await start(platform, { workflow: "neighbour" }, neighbour.key);
    for (;;) {
      const { status } = field<{ status: string }>(
        await platform.ask("query ($id: ID!) { run(id: $id) { status } }", { id }, neighbour.key),
        "run",
      );
      if (status === "SUCCEEDED") break;
      assert.ok(status !== "FAILED" && performance.now() - from < 20_000, status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    took.push(performance.now() - from);
  };
  await once();
  took.length = 0;
  neighbours = (async () => {
    while (!isOver) {
      await once();
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  })();
  neighbours.catch(() => {});
});

const DEED = `const { operation, ...input } = context.payload;
  return operation === "act" ? await services.rogue.act(input) : await services.rogue.read(input);`;
await publish(platform, workflow("deed", DEED));
const deed = async (operation: "act" | "read", input: object) =>
  rests(await start(platform, { workflow: "deed", payload: { operation, ...input } }));

/** What it does, and what is said of that. */
const DEEDS = {
  shape: /^WOML_PLUGIN_RESULT_INVALID$/,
  nothing: /^WOML_PLUGIN_RESULT_INVALID$/,
  cycle: /^WOML_PLUGIN_RESULT_INVALID$/,
  large: /^WOML_PLUGIN_RESULT_TOO_LARGE$/,
  break: /^WOML_PLUGIN_CRASHED$/,
  die: /^WOML_PLUGIN_CRASHED$/,
  memory: /^WOML_PLUGIN_CRASHED$/,
  lines: /^WOML_PLUGIN_(CRASHED|TIMEOUT)$/,
  requests: /^WOML_PLUGIN_CRASHED$/,
  sleep: /^WOML_PLUGIN_TIMEOUT$/,
  hang: /^WOML_PLUGIN_(CRASHED|TIMEOUT)$/,
} as const;
for (const [what, code] of Object.entries(DEEDS)) {
  test(`${what}: a known failure where it only reads or nothing had left; a question where a request had`, async () => {
    const read = await deed("read", { do: what });
    assert.equal(read.run.status, "FAILED");
    assert.match(read.run.failure?.code ?? "", code);
    const act = await deed("act", { do: "after", text: what });
    assert.deepEqual([act.run.status, act.run.waiting?.cause], ["NEEDS_RESOLUTION", "needs_resolution"]);
    assert.match(act.outcomes.join(), /^unknown WOML_PLUGIN_/);
    assert.match(act.outcomes.join().replace("unknown ", ""), code);
    const sent = far.heard.filter(({ method }) => method === "POST").length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(far.heard.filter(({ method }) => method === "POST").length, sent);
    // A process that hangs is given up after a while; until then it answers nobody.
    for (const end = Date.now() + 15_000; (await deed("read", { do: "say" })).run.status !== "SUCCEEDED"; ) assert.ok(Date.now() < end);
  });
}

test("a plugin goes nowhere but where its manifest says, by no way round", async () => {
  for (const [text, code] of Object.entries({
    "http://example.com/": "WOML_EGRESS_HOST_UNDECLARED",
    "http://127.0.0.1:1/": "WOML_EGRESS_PORT_UNDECLARED",
    [platform.graphql]: "WOML_EGRESS_PORT_UNDECLARED",
    [`http://localhost:${far.port}/ok`]: "WOML_EGRESS_HOST_UNDECLARED",
    "http://169.254.169.254/latest/meta-data/": "WOML_EGRESS_HOST_UNDECLARED",
    [`${far.url}/redirect?to=http://169.254.169.254/`]: "WOML_EGRESS_HOST_UNDECLARED",
    [`${far.url}/redirect?to=http://127.0.0.1:22/`]: "WOML_EGRESS_PORT_UNDECLARED",
    [`${far.url}/redirect?to=/redirect?to=${encodeURIComponent(platform.graphql)}`]: "WOML_EGRESS_PORT_UNDECLARED",
    [`${far.url}/redirect?to=file:///etc/passwd`]: "WOML_EGRESS_URL_INVALID",
    "file:///etc/passwd": "WOML_EGRESS_URL_INVALID",
  })) {
    const { run } = await deed("read", { do: "get", text });
    assert.deepEqual([run.status, run.failure?.code], ["FAILED", code], text);
  }
  // A redirect of a POST is an answer, and followed by nobody.
  const posted = await deed("act", { do: "post", text: `/redirect?to=${encodeURIComponent(`${far.url}/echo`)}` });
  assert.deepEqual([posted.run.status, far.heard.at(-1)?.path.startsWith("/redirect?")], ["SUCCEEDED", true]);
});

test("http.request and fetch reach no private place that no operator named, by no spelling and no redirect", async () => {
  await publish(platform, workflow("far", "const { url } = context.payload; return (await fetch(url)).status;"));
  const places = [
    ...[
      "http://127.0.0.1/",
      "http://localhost:8080/",
      "http://[::1]/",
      "http://0x7f000001/",
      "http://127.1/",
      "http://[::ffff:127.0.0.1]/",
    ],
    ...["http://169.254.169.254/", "http://10.0.0.1/", "http://[fd00:ec2::254]/", "http://0.0.0.0/"],
  ];
  for (const url of [...places, ...places.map((place) => `${far.url}/redirect?to=${encodeURIComponent(place)}`)]) {
    const { run } = await rests(await start(platform, { workflow: "far", payload: { url } }));
    assert.deepEqual([run.status, run.failure?.code], ["FAILED", "WOML_EGRESS_ADDRESS_FORBIDDEN"], url);
  }
  const { run } = await rests(await start(platform, { workflow: "far", payload: { url: `${far.url}/redirect?to=/ok` } }));
  assert.equal(run.result, 200);
  const large = await rests(await start(platform, { workflow: "far", payload: { url: `${far.url}/size?of=5000000` } }));
  assert.equal(large.run.failure?.code, "WOML_EGRESS_ANSWER_TOO_LARGE");
});

test("a secret in an error, a code or a log line of a plugin stays one", async () => {
  for (const operation of ["read", "act"] as const) {
    const { run, text } = await deed(operation, { do: "tell", text: "the key is" });
    assert.deepEqual([run.status, run.failure?.code], ["FAILED", "ROGUE_TELLS"]);
    assert.match(run.failure?.message ?? "", /\[secret ROGUE_KEY\]/);
    for (const one of [SECRET, btoa(SECRET), Buffer.from(SECRET).toString("hex")]) assert.ok(!text.includes(one), one);
  }
});

test("an input over 1 MiB, one that fits no schema, and the 1,001st operation are refused; 1,000 are not", async () => {
  await publish(platform, workflow("heavy", 'return await services.rogue.read({ do: "say", text: "x".repeat(1048577) });'));
  const heavy = await rests(await start(platform, { workflow: "heavy" }));
  assert.deepEqual(
    [heavy.run.failure?.code, heavy.run.failure?.message],
    ["WOML_SCRIPT_THROWN", "WOML_CALL_INPUT_TOO_LARGE: The input is too large."],
  );
  const misfit = await deed("read", { do: 7 });
  assert.equal(misfit.run.failure?.code, "WOML_OPERATION_INPUT_INVALID");
  const many = `for (let i = 0; i < context.payload.n; i += 20)
    await Promise.all(Array.from({ length: Math.min(20, context.payload.n - i) }, (_, at) => services.rogue.read({ do: "say", text: String(i + at) })));
    return "all";`;
  await publish(platform, workflow("many", many));
  const [within, over] = await Promise.all(
    [1_000, 1_001].map(async (n) => rests(await start(platform, { workflow: "many", payload: { n } }))),
  );
  assert.deepEqual([within?.run.status, within?.run.result], ["SUCCEEDED", "all"], JSON.stringify(within?.run.failure));
  assert.deepEqual([over?.run.status, over?.outcomes.length], ["FAILED", 1_000]);
  assert.match(over?.run.failure?.message ?? "", /^WOML_CALL_LIMIT: More than 1000 calls/);
});

/** As somebody who has the database's superuser could, and nobody else. */
async function tampered(sql: string, values: readonly unknown[]): Promise<void> {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  await assert.rejects(client.query(sql, [...values]), /append-only/);
  await client.query("ALTER TABLE plugin_release DISABLE TRIGGER append_only");
  assert.equal((await client.query(sql, [...values])).rowCount, 1);
  await client.query("ALTER TABLE plugin_release ENABLE ALWAYS TRIGGER append_only");
  await client.end();
}

test("an artefact or a manifest that was changed in the database is not run", async () => {
  for (const [version, sql] of Object.entries({
    "1.8.0": "UPDATE plugin_release SET artefact = artefact || '\\x0a'::bytea WHERE digest = $1",
    "1.8.1": `UPDATE plugin_release SET manifest = replace(manifest, '"methods":["GET","POST"]', '"methods":["DELETE"]') WHERE digest = $1`,
  })) {
    const release = await review(platform, rogueFor(far.port, version), []);
    await publish(platform, workflow("tampered", 'return await services.rogue.act({ do: "say" });').replace("^1", version));
    await tampered(sql, [release.release]);
    const { run } = await rests(await start(platform, { workflow: "tampered" }));
    assert.deepEqual([run.status, run.failure?.code], ["FAILED", "WOML_PLUGIN_RELEASE_INVALID"], version);
  }
});

test("a release that describes itself otherwise than its manifest, that is no plugin, or imports more than it may, is not run", async () => {
  const { manifest, source } = rogueFor(far.port, "1.7.0");
  const versions = {
    "1.7.1": [source, "WOML_PLUGIN_MANIFEST_MISMATCH"],
    "1.7.2": ["export default 7;", "WOML_PLUGIN_START_FAILED"],
    "1.7.3": ['import "node:fs"; export default 7;', "WOML_PLUGIN_START_FAILED"],
    "1.7.4": ["export default (;", "WOML_PLUGIN_START_FAILED"],
  };
  for (const [version, [text = "", code = ""]] of Object.entries(versions)) {
    await review(platform, { manifest: { ...manifest, version }, source: text }, []);
    await publish(platform, workflow("unfit", 'return await services.rogue.act({ do: "say" });').replace("^1", version));
    const { run } = await rests(await start(platform, { workflow: "unfit" }));
    assert.equal(run.status, "FAILED", version);
    assert.match(run.failure?.code ?? "", new RegExp(`^${code}`), version);
  }
});

test("the neighbour's runs were answered all the while, each within two seconds", async () => {
  isOver = true;
  await neighbours;
  const slow = took.filter((ms) => ms > 2_000);
  assert.ok(took.length > 50, `${took.length} runs`);
  assert.deepEqual(slow, []);
  assert.equal((await woml(folder, ["verify"])).code, 0);
});
