// A workflow whose scripts import: published from its folder, run, its sandbox lost in between, tampered with. One platform for all of it.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { ended, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { woml } from "../../support/woml.ts";

const { platform, folder } = await upForFile();

const ran = async (workflow: string, payload: object = {}): Promise<SeenRun> =>
  runUntil(platform, await start(platform, { workflow, payload }), ended, 60_000);

const FILES: Readonly<Record<string, string>> = {
  "invoice.woml": `<woml>
  <imports><module name="prices" from="./lib/prices.ts" /><module name="constructor" from="./lib/counted.js" /></imports>
  <workflow id="invoice">
    <triggers><manual id="go" /></triggers>
    <steps>
      <step id="sum"><script>return services.prices.total(context.payload.lines);</script></step>
      <parallel id="both">
        <step id="one"><script>return [services.constructor.count(), services.constructor.count()];</script></step>
        <step id="two"><script>return services.constructor.count();</script></step>
      </parallel>
      <step id="all"><script>return { sum: context.steps.sum, one: context.steps.one, two: context.steps.two };</script></step>
    </steps>
  </workflow>
</woml>
`,
  "lib/prices.ts": `import { round } from "./round.js";

interface Line {
  readonly price: number;
  readonly count: number;
}

export function total(lines: readonly Line[]): number {
  if (lines.length === 0) {
    throw new RangeError("nothing to pay");
  }
  return round(lines.reduce((sum, { price, count }) => sum + price * count, 0));
}
`,
  "lib/round.js": "export const round = (amount) => Math.round(amount * 100) / 100;\n",
  "lib/counted.js": "let n = 0;\nexport function count() {\n  n += 1;\n  return n;\n}\n",
};

test("published from its folder and run: functions by alias, state of their own for each attempt, files and lines in stacks", async () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const published = await woml(folder, ["publish", "invoice.woml"]);
  assert.equal(published.code, 0, published.stderr);
  const run = await ran("invoice", {
    lines: [
      { price: 0.1, count: 3 },
      { price: 7, count: 1 },
    ],
  });
  assert.deepEqual([run.status, run.result], ["SUCCEEDED", { sum: 7.3, one: [1, 2], two: 1 }]);
  const failed = await ran("invoice", { lines: [] });
  assert.deepEqual([failed.status, failed.failure?.message], ["FAILED", "nothing to pay"]);
  const { stack } = failed.failure as unknown as { readonly stack: string };
  assert.match(stack, /^RangeError: nothing to pay\n {4}at total \((?:.*\/)?lib\/prices\.ts:10:11\)\n {4}at (?:.*\/)?invoice\.woml:6:/);
});

test("the sandbox is killed in the middle of a module's function: it goes on as it was, and what it did is done once", async () => {
  const module = `declare const services: any;
const drawn = [Math.random(), crypto.randomUUID(), Date.now()];
export async function careful(): Promise<unknown> {
  const count = await services.state.increment("n", 1, { name: "count" });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return [drawn, count, await services.state.get("n")];
}`;
  const text = `<woml><imports><module name="m" from="./m.ts"/></imports><workflow id="careful"><triggers><manual id="go"/></triggers>
    <steps><step id="only"><script>const early = services.m.careful(); return [await early, Math.random()];</script></step></steps></workflow></woml>`;
  const files = [
    { path: "careful.woml", text },
    { path: "m.ts", text: module },
  ];
  const input = { files };
  const { errors, data } = await platform.ask(
    "mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { code } } }",
    { input },
  );
  assert.equal(errors, undefined, JSON.stringify([errors, data]));
  const id = await start(platform, { workflow: "careful" });
  const isCounted = ({ events }: SeenRun): boolean => events.edges.some(({ node }) => node.type === "operation_settled");
  await runUntil(platform, id, isCounted, 60_000);
  await sleep(300);
  process.kill(platform.pids["sandbox"] ?? 0, "SIGKILL");
  const run = await runUntil(platform, id, ended, 60_000);
  assert.ok(run.events.edges.some(({ node }) => node.type === "attempt_resumed"));
  const [[drawn, count, stored]] = run.result as readonly [readonly [readonly unknown[], unknown, unknown]];
  assert.deepEqual([run.status, count, stored], ["SUCCEEDED", 1, 1]);
  const again = (await ran("careful")).result as readonly [readonly [readonly unknown[], unknown]];
  assert.notDeepEqual(again[0][0], drawn);
  assert.equal(again[0][1], 2);
});

test("a stored module that is changed is run by nobody: its runs are held, and say why", async () => {
  const text = `<woml><imports><module name="m" from="./m.js"/></imports><workflow id="tampered"><triggers><manual id="go"/></triggers>
    <steps><step id="only"><script>return services.m.f();</script></step></steps></workflow></woml>`;
  const files = [
    { path: "tampered.woml", text },
    { path: "m.js", text: "export function f() { return 'as published'; }" },
  ];
  const publishing = "mutation ($input: PublishInput!) { publish(input: $input) { version } }";
  assert.equal((await platform.ask(publishing, { input: { files } })).errors, undefined);
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  await client.query("ALTER TABLE module DISABLE TRIGGER append_only");
  const { rowCount } = await client.query("UPDATE module SET text = replace(text, 'as published', 'as somebody else likes')");
  await client.query("ALTER TABLE module ENABLE ALWAYS TRIGGER append_only");
  await client.end();
  assert.ok((rowCount ?? 0) > 0);
  const id = await start(platform, { workflow: "tampered" });
  const run = await runUntil(platform, id, ({ waiting }) => (waiting as { readonly cause?: string } | null)?.cause === "held", 60_000);
  assert.match(JSON.stringify(run.waiting), /the stored module is not the one that sha256:[0-9a-f]{64} names/);
});
