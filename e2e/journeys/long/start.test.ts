import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { plantCluster } from "@woml/platform/testing";
import { Client } from "pg";
import { type Answer, chain, ended, field, publish, ROOT, runUntil, scratch, start, up, upForFile } from "../../support/platform.ts";

const doors = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("woml-door-"));
const doorsBefore = doors();
// Too long for a socket's path: the sandbox's door then has a folder of its own, which goes as well.
const { platform, folder } = await upForFile({ under: ["a folder with blanks", "x".repeat(100)] });
const data = join(folder, ".woml");

const NODE = ["--disable-warning=ExperimentalWarning", join(ROOT, "sdk", "cli", "main.ts")];

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `woml ARGS` until it ends. */
async function woml(...args: readonly string[]): Promise<Said> {
  const child = spawn(process.execPath, [...NODE, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

async function gone(pids: readonly number[], limitMs = 10_000): Promise<readonly number[]> {
  for (const until = Date.now() + limitMs; pids.some(isAlive) && Date.now() < until; ) await sleep(20);
  return pids.filter(isAlive);
}

test("start --once --json answers the view of one run and leaves nothing running", async (t) => {
  const data = join(scratch(t), "a folder with blanks", "data");
  const first = await woml("start", "--once", "--json", "--data", data, "--port", "0");
  assert.equal(first.code, 0, first.stderr);
  const view = JSON.parse(first.stdout);
  const fields = [
    "id",
    "workflow",
    "version",
    "status",
    "labels",
    "payload",
    "result",
    "failure",
    "waiting",
    "steps",
    "operations",
    "unresolvedEffects",
    "head",
    "events",
  ];
  assert.deepEqual(Object.keys(view), fields);
  assert.deepEqual([view.workflow, view.status, view.waiting, view.failure], ["order-router", "succeeded", null, null]);
  assert.deepEqual(view.result, { route: "ship-now", orderId: "o-1042" });
  const steps: { id: string; attempts: object[] }[] = view.steps;
  const attempts = Object.fromEntries(steps.map((step) => [step.id, step.attempts.length]));
  assert.deepEqual(attempts, { price: 1, stock: 2, credit: 1, ship: 1 });
  assert.deepEqual(Object.keys(view.steps[1].attempts[0]), ["number", "outcome", "failure", "startedAt", "endedAt", "cpuMs"]);
  assert.equal(existsSync(join(data, "connection.json")), false);
  await stays(t, data, view.id);
});

/** A second start, without `--once`: it finds the data, shows its run as a timeline, stays, and the command that it prints works as it stands. */
async function stays(t: TestContext, data: string, earlier: string): Promise<void> {
  const child = spawn(process.execPath, [...NODE, "start", "--data", data, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const stderr = text(child.stderr);
  const lines = createInterface({ input: child.stdout });
  let said = "";
  for await (const line of lines) {
    said += `${line}\n`;
    if (line.includes("Ctrl-C")) break;
  }
  const [command = ""] = /^curl .*$/m.exec(said) ?? [];
  const shell = spawn("sh", ["-c", command.replace(/^curl /, "curl --fail ")], { stdio: ["ignore", "pipe", "inherit"] });
  const answer = JSON.parse(await text(shell.stdout));
  const runs: { node: { id: string; status: string } }[] = answer.data.runs.edges;
  assert.deepEqual(
    runs.map(({ node }) => node.status),
    ["SUCCEEDED", "SUCCEEDED"],
  );
  assert.equal(runs[1]?.node.id, earlier);
  const [, url = "", key = ""] = /^curl -s (\S+) -H 'authorization: Bearer (\S+)'/.exec(command) ?? [];
  const query = JSON.stringify({ query: '{ workflow(id: "order-router") { versions { edges { node { id } } } } }' });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const seen = (await (await fetch(url, { method: "POST", headers, body: query })).json()) as Answer;
  assert.equal(field<{ versions: { edges: object[] } }>(seen, "workflow").versions.edges.length, 1);
  child.kill("SIGINT");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  assert.match(said, /stock +2 +succeeded +\d+ ms +\{"complete":true,"short":\[\]\}/);
  assert.equal(await stderr, `starting the platform on ${data} …\nstopping …\n`);
}

test("start --example payment charges once undisturbed and once when the plugin's process dies between charge and answer; one that Ctrl-C left under way goes on first", async (t) => {
  const data = join(scratch(t), "data");
  await plantCluster(join(data, "postgres"));
  const again = ["start", "--data", data, "--port", "0", "--example", "payment", "--once", "--json"];
  const first = spawn(process.execPath, [...NODE, ...again], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: first.stderr })) if (line.includes("is handed in")) break;
  await sleep(150);
  first.kill("SIGINT");
  if (first.exitCode === null) await once(first, "exit");
  const { code, stdout, stderr } = await woml(...again);
  assert.equal(code, 0, stderr);
  const shown: { run: { status: string; operations: { id: string; outcome: string; evidence: string }[] }; effects: number }[] =
    JSON.parse(stdout);
  assert.deepEqual(
    shown.map(({ run, effects }) => [run.status, effects]),
    [
      ["succeeded", 1],
      ["succeeded", 1],
    ],
  );
  const charge = shown[1]?.run.operations.find(({ id }) => id === "charge:1:1");
  assert.deepEqual([charge?.outcome, charge?.evidence], ["succeeded", "The provider was asked, and says that it was done."]);
  assert.match(stderr, /the plugin host \(pid \d+\) is killed/);
});

test("up says in one line where it is, and keeps its keys to itself", () => {
  assert.match(platform.graphql, /^http:\/\/127\.0\.0\.1:\d+\/graphql$/);
  assert.deepEqual([platform.tenant, platform.key.slice(0, 5), platform.admin.slice(0, 5)], ["demo", "woml_", "woml_"]);
  for (const name of ["connection.json", "keys.json"]) assert.equal(statSync(join(data, name)).mode & 0o777, 0o600);
  assert.equal(statSync(data).mode & 0o777, 0o700);
  assert.deepEqual(Object.keys(platform.pids).toSorted(), ["platform", "plugins", "postgres", "sandbox"]);
  assert.ok(Object.values(platform.pids).every(isAlive));
});

test("a second start beside the first, and a taken port, are answered in one sentence", async (t) => {
  const beside = await woml("up", "--data", data, "--port", "0", "--json");
  assert.deepEqual([beside.code, beside.stdout], [1, ""]);
  assert.match(beside.stderr, new RegExp(`WOML_DATA_FOLDER_IN_USE: A platform \\(pid ${platform.process.pid}\\) already runs on .*\\n$`));
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const taken = await woml("up", "--data", join(scratch(t), "data"), "--port", String(port));
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, new RegExp(`WOML_PORT_TAKEN: Port ${port} .*\\n$`));
});

test("no session of a superuser is open once it is ready, and the services' roles have no such power", async () => {
  await runUntil(platform, await start(platform, { workflow: await published() }), ended);
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  const sessions = `SELECT DISTINCT usename AS name, usesuper AS super, usebypassrls AS bypass FROM pg_stat_activity JOIN pg_user USING (usename)
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY 1`;
  const { rows } = await client.query(sessions);
  await client.end();
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["woml_control", "woml_engine"],
  );
  assert.ok(rows.every((row) => row.super === false && row.bypass === false));
});

async function published(): Promise<string> {
  await publish(platform, chain("quick", { s: "return 1;" }));
  return "quick";
}

test("each part that is killed alone comes back, and runs go on", async () => {
  const workflow = await published();
  for (const part of ["sandbox", "plugins", "postgres"]) {
    const before = pids()[part] ?? 0;
    process.kill(before, "SIGKILL");
    for (const until = Date.now() + 10_000; pids()[part] === before && Date.now() < until; ) await sleep(20);
    assert.notEqual(pids()[part], before, `${part} came back`);
    assert.equal((await runUntil(platform, await startPatiently(workflow), ended)).status, "SUCCEEDED");
  }
});

const pids = (): Readonly<Record<string, number>> => JSON.parse(readFileSync(join(data, "connection.json"), "utf8")).pids;

/** While PostgreSQL is away control answers with an error; the same idempotency key makes asking again safe. */
async function startPatiently(workflow: string): Promise<string> {
  const input = { workflow, idempotencyKey: crypto.randomUUID() };
  for (const until = Date.now() + 20_000; ; await sleep(100)) {
    try {
      return await start(platform, input);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

test("however it ends, nothing is left running, and the next start goes on", async (whole) => {
  let second = platform;
  await whole.test("SIGTERM ends it with 0 and leaves nothing running; the next start knows its keys again", async () => {
    const running = Object.values(pids());
    assert.equal(await platform.stop(), 0);
    assert.deepEqual(await gone(running), []);
    second = await up(whole, data);
    assert.deepEqual([second.key, second.admin], [platform.key, platform.admin]);
    assert.ok((await second.ask("{ me { admin } }")).data);
  });
  await whole.test("after kill -9 of the whole group nothing is left running, and the next start goes on where it was", async () => {
    const text = chain("slow", {
      a: "return 1;",
      b: "await new Promise((resolve) => setTimeout(resolve, 600)); return context.steps.a + 1;",
    });
    await publish(second, text);
    const id = await start(second, { workflow: "slow" });
    await runUntil(second, id, (run) => run.steps.some((step) => step.id === "b"));
    await second.kill();
    assert.deepEqual(await gone(Object.values(second.pids)), []);
    const third = await up(whole, data);
    assert.deepEqual([third.key, third.admin], [second.key, second.admin]);
    const run = await runUntil(third, id, ended);
    assert.deepEqual([run.status, run.result], ["SUCCEEDED", 2]);
    assert.deepEqual(
      run.steps.map((step) => step.attempts.length),
      [1, 1],
    );
    assert.equal(await third.stop(), 0);
    assert.deepEqual(
      doors().filter((name) => !doorsBefore.includes(name)),
      [],
    );
  });
});

test("a signal before it is ready undoes the start", async (t) => {
  const data = join(scratch(t), "data");
  const child: ChildProcess = spawn(process.execPath, [...NODE, "up", "--data", data, "--port", "0", "--json"], { stdio: "ignore" });
  while (!existsSync(join(data, "postgres"))) await sleep(10);
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  assert.equal(existsSync(join(data, "postgres", "postmaster.pid")), false);
});
