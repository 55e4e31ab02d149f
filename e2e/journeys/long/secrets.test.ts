// A canary: its value goes through everything that a secret can go through, and is then looked for everywhere.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "pg";
import { startFar } from "../../support/far.ts";
import { ended, field, publish, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { review, rogueFor, tenantOf } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";

const far = await startFar();
after(() => far.close());
/** Everything that the platform's processes write, at the most talkative level. */
let output = "";
const { platform, folder } = await upForFile({
  privateHosts: [`127.0.0.1:${far.port}`],
  env: { WOML_LOG: "debug" },
  heard: (text) => {
    output += text;
  },
});
const own = await tenantOf(platform);
await review(platform, rogueFor(far.port), [own]);

/** With characters that each spelling writes in a way of its own. */
const CANARY = 'Kanarienvögel/+=& "q\\7b1e93c05d';
const HANDLED = "sk-live_4f9a/71cd+02be?88";
for (const [name, value] of [
  ["CANARY", HANDLED],
  ["ROGUE_KEY", CANARY],
] as const) {
  const set = await woml(folder, ["secrets", "set", name], { stdin: value });
  assert.equal(set.code, 0, set.stderr);
  output += set.stdout + set.stderr;
}

/** A value in every spelling in which it could stand somewhere. */
function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const url = encodeURIComponent(value);
  const base64 = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const inner = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const form = new URLSearchParams({ v: value }).toString().slice(2);
  const json = JSON.stringify(value).slice(1, -1);
  const hex = bytes.toString("hex");
  const latin = Buffer.from(value, "latin1");
  const raw = [latin.toString("hex"), latin.toString("base64"), latin.toString("utf8"), bytes.toString("latin1")];
  return [...raw, value, json, JSON.stringify(json).slice(1, -1), url, url.toLowerCase(), form, hex, hex.toUpperCase(), ...base64];
}
/** Also one spelling within another: an answer quoted in an error, in a log's line. */
const CANARIES = [
  ...new Set(
    [CANARY, HANDLED]
      .flatMap(spellings)
      .flatMap(spellings)
      .filter((one) => one.length > 8),
  ),
];
const found = (where: string, text: string): readonly string[] =>
  CANARIES.filter((one) => text.includes(one)).map((one) => `${where}: ${one}`);

/** A step that does this with the canary. */
function workflow(id: string, script: string): string {
  return `<woml><imports><uses capability="test.rogue" version="^1" as="rogue"/></imports>
    <workflow id="${id}"><triggers><manual id="go"/></triggers><steps><step id="only"><script>${script}</script></step></steps></workflow></woml>`;
}
async function ran(id: string, script: string): Promise<SeenRun> {
  await publish(platform, workflow(id, script));
  return runUntil(platform, await start(platform, { workflow: id }), ended);
}
const textOf = (run: SeenRun): string => JSON.stringify(run.result);

test("a script sees a handle: what it logs, returns and encodes is no secret", async () => {
  const script = `
    console.log(secrets.CANARY, btoa(secrets.CANARY), encodeURIComponent(secrets.CANARY));
    return [secrets.CANARY, btoa(secrets.CANARY), encodeURIComponent(secrets.CANARY), secrets.CANARY.length, typeof secrets.CANARY];`;
  const run = await ran("handles", script);
  const [handle, , , , kind] = run.result as string[];
  assert.match(handle ?? "", /^woml_secret\.[0-9a-f]{32}\.n\.CANARY\.$/);
  assert.equal(kind, "string");
  assert.deepEqual(found("result", textOf(run)), []);
});

test("the value is filled in where the request leaves: header, query, body, base64; by services.http.request and by fetch", async () => {
  const before = far.heard.length;
  const script = `
    const key = secrets.CANARY;
    const headers = { authorization: "Bearer " + key, "x-basic": "Basic " + btoa("user:" + key) };
    const one = await services.http.request({ url: "${far.url}/echo", method: "POST", headers, query: { key }, json: { key, list: [key + "!"] } });
    const two = await fetch("${far.url}/echo?key=" + encodeURIComponent(key), { method: "POST", headers, body: "key=" + key });
    return [one, await two.json(), two.headers.get("x-raw"), two.headers.get("x-base64")];`;
  const run = await ran("filled", script);
  assert.equal(run.status, "SUCCEEDED", JSON.stringify(run.failure));
  assert.deepEqual(found("result", textOf(run)), []);
  assert.match(textOf(run), /Bearer \[secret CANARY\]/);
  const [one, two] = far.heard.slice(before);
  assert.equal(one?.headers["authorization"], `Bearer ${HANDLED}`);
  assert.equal(one?.headers["x-basic"], `Basic ${btoa(`user:${HANDLED}`)}`);
  assert.deepEqual(new URL(one?.path ?? "", far.url).searchParams.get("key"), HANDLED);
  assert.deepEqual(JSON.parse(one?.body ?? ""), { key: HANDLED, list: [`${HANDLED}!`] });
  assert.deepEqual([new URL(two?.path ?? "", far.url).searchParams.get("key"), two?.body], [HANDLED, `key=${HANDLED}`]);
});

test("a plugin names its secrets and never sees them: neither in what a provider echoes, nor in the errors it makes of that", async () => {
  const before = far.heard.length;
  const run = await ran("named", 'return await services.rogue.read({ do: "echo", text: secrets.CANARY });');
  assert.equal(run.status, "SUCCEEDED", JSON.stringify(run.failure));
  assert.deepEqual([far.heard[before]?.headers["authorization"], far.heard[before]?.headers["x-text"]], [`Bearer ${CANARY}`, HANDLED]);
  for (const [id, deed] of [
    ["told", "tell"],
    ["thrown", "throw"],
  ]) {
    const failed = await ran(`${id}`, `return await services.rogue.act({ do: "${deed}", text: "it is " + secrets.CANARY });`);
    assert.equal(failed.status, "FAILED");
    assert.deepEqual(found(`${id}`, JSON.stringify(failed)), []);
  }
  const caught = await ran(
    "caught",
    `try { return await services.rogue.act({ do: "tell", text: secrets.CANARY }); }
     catch (error) { return [error.code, error.message, error.stack, JSON.stringify(error), String(error)]; }`,
  );
  assert.deepEqual([caught.status, found("caught", textOf(caught))], ["SUCCEEDED", []]);
});

test("a value as long as one may be is filled in and hidden like any other; one longer is refused", async () => {
  const long = `-----BEGIN KEY-----${"Zm9vYmFy/+".repeat(6_500)}`;
  assert.equal((await woml(folder, ["secrets", "set", "LONG"], { stdin: `${long}\n` })).code, 0);
  const script = `const answer = await services.http.request({ url: "${far.url}/echo", method: "POST", text: secrets.LONG, responseType: "text" });
    return [answer.data.length, answer.data.includes("Zm9vYmFy/+Zm9v"), answer.data.includes("[secret LONG]")];`;
  const run = await ran("long", script);
  assert.deepEqual([run.status, (run.result as unknown[])?.slice(1)], ["SUCCEEDED", [false, true]], JSON.stringify(run.failure));
  assert.equal(far.heard.at(-1)?.body, long);
  const larger = await woml(folder, ["secrets", "set", "LONGER"], { stdin: "x".repeat(65_537) });
  assert.deepEqual([larger.code, larger.stderr.split(":")[0]], [1, "WOML_SECRET_INVALID"]);
  assert.equal((await woml(folder, ["secrets", "rm", "LONG"])).code, 0);
});

test("where a secret may not stand, or goes wrong, its value is not said either", async () => {
  const tries = {
    host: 'services.http.request({ url: "http://" + secrets.CANARY + ".example/" })',
    header: `services.http.request({ url: "${far.url}/ok", headers: { [secrets.CANARY]: "x" } })`,
    member: 'services.rogue.read({ do: "say", [secrets.CANARY]: "x" })',
    invalid: "services.rogue.read({ do: { key: secrets.CANARY } })",
    path: `services.http.request({ url: "${far.url}/status?of=500&key=" + secrets.CANARY, method: "POST" })`,
    refused: 'services.http.request({ url: "http://127.0.0.1:1/" + secrets.CANARY })',
    named: 'services.rogue.read({ do: "say" }, { name: secrets.CANARY })',
    text: "Promise.reject(new Error(secrets.CANARY))",
  };
  for (const [id, call] of Object.entries(tries)) {
    await publish(platform, workflow(`wrong-${id}`, `return await ${call};`));
    const run = await runUntil(
      platform,
      await start(platform, { workflow: `wrong-${id}` }),
      (seen) => ended(seen) || seen.status === "NEEDS_RESOLUTION",
    );
    assert.deepEqual(found(id, JSON.stringify(run)), []);
  }
});

test("list shows names, rm takes them away, and a call that names one says which", async () => {
  const list = await woml(folder, ["secrets", "list", "-o", "json"]);
  assert.deepEqual(
    list.json().map((secret: object) => Object.keys(secret).sort()),
    [
      ["createdAt", "name", "updatedAt"],
      ["createdAt", "name", "updatedAt"],
    ],
  );
  assert.equal((await woml(folder, ["secrets", "set", "SPARE"], { stdin: "spare" })).code, 0);
  assert.equal((await woml(folder, ["secrets", "rm", "SPARE"])).code, 0);
  assert.equal((await woml(folder, ["secrets", "rm", "SPARE"])).stderr, "WOML_SECRET_NOT_SET: There is no secret SPARE.\n");
  const run = await ran("unset", `return await services.http.request({ url: "${far.url}/ok?" + secrets.SPARE });`);
  assert.deepEqual([run.status, run.failure?.code], ["FAILED", "WOML_SECRET_NOT_SET"]);
  assert.match(run.failure?.message ?? "", /SPARE/);
  for (const ask of ["{ secrets { name value } }", "{ secrets { name sealed } }"])
    assert.match(JSON.stringify((await platform.ask(ask)).errors), /Cannot query field/);
});

test("PC-46: nowhere: no table, no answer of the API, no line of any process, no file", async () => {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  assert.ok(tables.length >= 12, `${tables.length} tables`);
  let bytes = 0;
  for (const { name } of tables) {
    const { rows } = await client.query<{ line: string }>(`SELECT each::text AS line FROM ${name} AS each`);
    for (const { line } of rows) {
      bytes += line.length;
      // As a row is written quotes and backslashes are doubled, and bytes are in hex.
      const plain = line.replaceAll('""', '"').replaceAll("\\\\", "\\");
      const decoded = [...line.matchAll(/\\\\?x([0-9a-f]{2,})/g)].map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1"));
      for (const text of [line, plain, ...decoded]) assert.deepEqual(found(name, text), []);
    }
  }
  await client.end();
  assert.ok(bytes > 100_000, `${bytes} characters`);

  const { edges } = field<{ edges: readonly { node: { id: string } }[] }>(
    await platform.ask("{ runs(first: 100) { edges { node { id } } } }"),
    "runs",
  );
  assert.ok(edges.length >= 14, `${edges.length} runs`);
  const whole = `query ($id: ID!) { run(id: $id) { payload result failure waiting operations(first: 100) { edges { node { input result failure evidence name } } }
    steps(first: 100) { edges { node { output attempts { failure } } } } events(first: 100) { edges { node { data } } } } }`;
  for (const { node } of edges) assert.deepEqual(found(node.id, JSON.stringify(await platform.ask(whole, { id: node.id }))), []);
  for (const { node } of edges.slice(-5)) {
    const said = await woml(folder, ["runs", "operations", node.id]);
    assert.deepEqual([said.code, found(node.id, said.stdout + said.stderr)], [0, []]);
  }
  const rest = "{ audit(first: 100) { edges { node { subject detail } } } plugins(first: 100) { edges { node { manifest } } } }";
  for (const key of [platform.key, platform.admin]) assert.deepEqual(found("audit", JSON.stringify(await platform.ask(rest, {}, key))), []);

  assert.match(output, /"line":"it is .*\[secret ROGUE_KEY\]/);
  assert.deepEqual(found("output", output), []);
  const data = join(folder, ".woml");
  const files = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length >= 5);
  for (const { name } of files) assert.deepEqual(found(name, readFileSync(join(data, name), "latin1")), []);
});
