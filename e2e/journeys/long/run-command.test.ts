// `woml run` as a person has it before them: workflows of a folder live, what starts each, what they do as they do it, and an end that leaves nothing.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { plantCluster } from "@woml/platform/testing";
import { ROOT, scratch, undo } from "../../support/platform.ts";

const MAIN = join(ROOT, "sdk", "cli", "main.ts");
const LIMIT_MS = 60_000;
const SCRIPT = "/usr/bin/script";

const flow = (id: string, trigger: string, body: string): string =>
  `<woml><workflow id="${id}"><triggers>${trigger}</triggers><steps><step id="s"><script>${body}</script></step></steps></workflow></woml>`;
const THREE = {
  "by-hand.woml": flow("by-hand", '<manual id="go"/>', "return { got: context.payload };"),
  "posted.woml": flow("posted", '<webhook id="in" path="/orders" auth="none"/>', "return context.payload.n + 1;"),
  "failing.woml": flow("failing", '<event id="told" name="order.lost"/>', "throw new Error('lost');"),
};

/** A person is asked in it. */
const ASKING = `<woml><workflow id="asking"><triggers><webhook id="ask" path="/ask" auth="none"/></triggers><steps><approval id="release">
  <when-approved><step id="pay"><script>return "paid";</script></step></when-approved>
  <when-rejected><step id="decline"><script>return "declined";</script></step></when-rejected></approval></steps></workflow></woml>`;

interface Running {
  readonly child: ChildProcess;
  /** All that it has said so far, on stdout. */
  readonly lines: readonly string[];
  /** The first line that fits, said or to come. */
  line(fits: (line: string) => boolean): Promise<string>;
  /** What it said of its end, once it has ended. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

function running(t: TestContext, command: string, args: readonly string[], stdin: "ignore" | "pipe" = "ignore"): Running {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, NO_COLOR: "1" }, stdio: [stdin, "pipe", "pipe"] });
  const exited = once(child, "exit");
  undo(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exited;
  });
  const lines: string[] = [];
  let errors = "";
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const one of waiting) one();
  };
  child.stderr?.on("data", (chunk) => {
    errors += String(chunk);
  });
  if (child.stdout)
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      wake();
    });
  void exited.then(wake);
  const line = async (fits: (line: string) => boolean): Promise<string> => {
    const late = AbortSignal.timeout(LIMIT_MS);
    for (;;) {
      const found = lines.find(fits);
      if (found !== undefined) return found;
      if (late.aborted || child.exitCode !== null) throw new Error(`not said: ${errors}\n${lines.join("\n")}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      late.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      waiting.delete(resolve);
    }
  };
  return {
    ...{ child, lines, line },
    end: async (signal) => {
      if (signal !== undefined) child.kill(signal);
      const [code] = await exited;
      return code as number | null;
    },
  };
}

function folderOf(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = join(scratch(t), "flows");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** `woml run FOLDER` on a data folder that is made already. */
async function live(t: TestContext, files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Running> {
  const folder = folderOf(t, files);
  const data = join(folder, "..", ".woml");
  await plantCluster(join(data, "postgres"));
  return running(t, process.execPath, [
    "--disable-warning=ExperimentalWarning",
    MAIN,
    "run",
    folder,
    "--data",
    data,
    "--port",
    "0",
    ...args,
  ]);
}

interface Told {
  readonly type: string;
  readonly graphql?: string;
  readonly triggers?: readonly { readonly id: string; readonly workflow: string; readonly url: string | null }[];
  readonly workflow?: string;
  readonly event?: string;
  readonly data?: { readonly result?: unknown };
  readonly status?: string;
  readonly runs?: Readonly<Record<string, number>>;
}
const told = (line: string): Told => JSON.parse(line) as Told;

test("three workflows of a folder, as JSON: what starts them, their events in order, and the counts at the end", async (t) => {
  const run = await live(t, THREE, "--json");
  const ready = told(await run.line((line) => told(line).type === "ready"));
  assert.deepEqual(
    ready.triggers?.map(({ workflow, id }) => `${workflow} ${id}`),
    ["by-hand go", "failing told", "posted in"],
  );
  const url = ready.triggers?.find(({ id }) => id === "in")?.url ?? assert.fail("no address");
  const answer = await fetch(url, { method: "POST", body: '{"n":41}', headers: { "content-type": "application/json" } });
  assert.equal(answer.status, 202);
  await run.line((line) => told(line).type === "run" && told(line).status === "succeeded");
  const events = run.lines.map(told).filter(({ workflow, type }) => workflow === "posted" && type === "event");
  assert.deepEqual([events[0]?.event, events.at(-1)?.event, events.at(-1)?.data?.result], ["run_admitted", "run_succeeded", 42]);
  assert.equal(await run.end("SIGTERM"), 0);
  assert.deepEqual(told(run.lines.at(-1) ?? "{}"), { type: "ended", runs: { succeeded: 1, failed: 0, cancelled: 0, open: 0 } });
});

/** What was said to be pasted, in a shell; `woml` is that of this repository. */
async function pasted(command: string): Promise<void> {
  const text = command.replace(/^woml /, `"${process.execPath}" --disable-warning=ExperimentalWarning "${MAIN}" `);
  const shell = spawn("/bin/sh", ["-c", text], { stdio: ["ignore", "ignore", "inherit"] });
  assert.deepEqual(await once(shell, "exit"), [0, null]);
}

test("for people: each trigger with a command that can be pasted, and so is what decides an approval; they work", async (t) => {
  const run = await live(t, { ...THREE, "asking.woml": ASKING });
  await run.line((line) => line.startsWith("GraphQL "));
  const said = (part: string): Promise<string> => run.line((line) => line.includes(part));
  await pasted((await said("/hooks/orders' ")).trim().replace("-d '{}'", `-d '{"n":1}'`));
  await run.line((line) => /posted#\w{6} {2}run succeeded {2}2$/.test(line));
  await pasted((await said("woml signal emit")).trim());
  await run.line((line) => /failing#\w{6} {2}run failed .*lost/.test(line));
  await pasted((await said("/hooks/ask' ")).trim());
  const [, approve = ""] = /(woml runs approve .*) \(or reject\)$/.exec(await said("woml runs approve")) ?? [];
  await pasted(approve);
  await run.line((line) => /asking#\w{6} {2}run succeeded/.test(line));
  assert.equal(await run.end("SIGINT"), 0);
  assert.equal(run.lines.at(-1), "3 runs: 2 succeeded, 1 failed");
});

test("in a terminal Enter starts a run with the payload that was given, and a temporary folder is gone at the end", async (t) => {
  if (!existsSync(SCRIPT)) return t.skip("no script(1) makes a terminal here");
  const folder = folderOf(t, { "by-hand.woml": THREE["by-hand.woml"] });
  const temporary = join(folder, "..", "tmp");
  mkdirSync(temporary);
  const command = `exec env TMPDIR='${temporary}' '${process.execPath}' --disable-warning=ExperimentalWarning '${MAIN}' run '${folder}' --port 0 --payload '{"n":7}'`;
  const run = running(t, SCRIPT, ["-qec", command, "/dev/null"], "pipe");
  await run.line((line) => line.includes("press Enter"));
  await run.line((line) => line.startsWith("GraphQL "));
  assert.equal(readdirSync(temporary).length, 1);
  run.child.stdin?.write("\r");
  await run.line((line) => /run succeeded {2}\{"got":\{"n":7\}\}/.test(line));
  run.child.stdin?.write("\u0003");
  assert.equal(await run.end(), 0);
  assert.ok(
    run.lines.some((line) => /1 run: 1 succeeded/.test(line)),
    run.lines.join("\n"),
  );
  assert.deepEqual(readdirSync(temporary), []);
});
