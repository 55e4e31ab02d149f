// A platform of its own for a test: the real command in a real process, driven from outside as a stranger would.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { plantCluster } from "@woml/platform/testing";
import { type Far, startFar } from "./far.ts";

export const ROOT: string = join(import.meta.dirname, "..", "..");
const MAIN = join(ROOT, "sdk", "cli", "main.ts");
const NODE: readonly string[] = ["--disable-warning=ExperimentalWarning", MAIN];

interface Ready {
  readonly graphql: string;
  readonly tenant: string;
  readonly key: string;
  readonly admin: string;
}
export interface Answer {
  readonly data: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}
export interface Up extends Ready {
  readonly process: ChildProcess;
  /** The embedded server's superuser. */
  readonly databaseUrl: string;
  readonly pids: Readonly<Record<string, number>>;
  ask(query: string, variables?: object, key?: string): Promise<Answer>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL to the whole process group: nothing gets to say goodbye. */
  kill(): Promise<void>;
}

/** Whatever answers GraphQL with these keys: `ask` takes the tenant's where none is named. */
export type Asked = Pick<Up, "ask" | "key" | "admin">;

const undone = new WeakMap<TestContext, (() => unknown)[]>();

/** When the test ends: last made, first undone (node runs its own hooks the other way round). */
export function undo(t: TestContext, step: () => unknown): void {
  const steps = undone.get(t) ?? [];
  if (steps.push(step) > 1) return;
  undone.set(t, steps);
  t.after(async () => {
    for (const each of steps.toReversed()) await each();
  });
}

const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** A folder gone when the test ends. */
export function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "woml-e2e-"));
  undo(t, () => rmSync(folder, REMOVAL));
  return folder;
}

/** How else it is started. */
interface Ways {
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** `host:port` that plugins may reach. */
  readonly privateHosts?: readonly string[];
  /** Given all that it writes; what it writes to stderr is not shown then. */
  readonly heard?: (text: string) => void;
  /** Folders between the file's own and the one that is answered. */
  readonly under?: readonly string[];
}

/** `woml up --data DATA --port 0 --json`, ready to be asked. `env` adds to the environment. */
export async function up(t: TestContext, data: string, env: Readonly<Record<string, string>> = {}): Promise<Up> {
  return opened(data, { env }, (child) => undo(t, () => end(child)));
}

/** The same, started in another way; what it wrote before it was killed is still there. */
export function upAs(t: TestContext, data: string, ways: Ways): Promise<Up> {
  return opened(data, ways, (child) => undo(t, () => end(child)));
}

interface ForFile {
  readonly platform: Up;
  /** One to write to; `.woml` in it is the platform's. */
  readonly folder: string;
  /** Its plugins may reach it. */
  readonly far: Far;
}
/**
 * One platform for all tests of a file, each with workflows of its own. Files that share a process, and ask for nothing else, share it too: the
 * last of them ends it.
 */
export async function upForFile(ways?: Ways): Promise<ForFile> {
  if (ways === undefined) common ??= forFile({});
  const own = ways === undefined && common ? common : forFile(ways ?? {});
  own.users += 1;
  after(async () => {
    own.users -= 1;
    if (own.users === 0) await own.end();
  });
  return own.up;
}
let common: ReturnType<typeof forFile> | undefined;

function forFile(ways: Ways): { users: number; readonly up: Promise<ForFile>; end(): Promise<void> } {
  const root = mkdtempSync(join(tmpdir(), "woml-e2e-"));
  const folder = join(root, ...(ways.under ?? []));
  const data = join(folder, ".woml");
  const ends: (() => Promise<void>)[] = [];
  const start = async (): Promise<ForFile> => {
    const far = await startFar();
    ends.unshift(far.close);
    await plantCluster(join(data, "postgres"));
    const privateHosts = [...(ways.privateHosts ?? []), `127.0.0.1:${far.port}`];
    const platform = await opened(data, { ...ways, privateHosts }, (child) => void ends.unshift(() => end(child)));
    return { platform, folder, far };
  };
  const stopped = async (): Promise<void> => {
    for (const each of ends) await each();
    rmSync(root, REMOVAL);
  };
  return { users: 0, up: start(), end: stopped };
}

async function opened(data: string, { env, privateHosts = [], heard }: Ways, started: (child: ChildProcess) => void): Promise<Up> {
  const places = privateHosts.flatMap((place) => ["--private-host", place]);
  const child = spawn(process.execPath, [...NODE, "up", "--data", data, "--port", "0", "--json", ...places], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", heard ? "pipe" : "inherit"],
  });
  started(child);
  if (heard) for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => heard(String(chunk)));
  const ready: Ready = JSON.parse(await firstLine(child));
  const connection = JSON.parse(readFileSync(join(data, "connection.json"), "utf8"));
  return {
    ...ready,
    process: child,
    databaseUrl: connection.url,
    pids: connection.pids,
    ask: (query, variables = {}, key = ready.key) => ask(ready.graphql, key, { query, variables }),
    stop: () => stop(child),
    kill: async () => {
      const gone = once(child, "exit");
      if (child.pid) process.kill(-child.pid, "SIGKILL");
      await gone;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("no stdout");
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`woml up ended with ${code} before it was ready`)));
  const [line] = await Promise.race([once(lines, "line"), ended]);
  ended.catch(() => {});
  return String(line);
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  }
  return child.exitCode;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await stop(child);
}

export async function ask(url: string, key: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()) as Answer;
}

const PUBLISH = `mutation ($input: PublishInput!) { publish(input: $input) { version created diagnostics { code message } } }`;
export const START = `mutation ($input: StartRunInput!) { startRun(input: $input) { duplicate run { id status } } }`;
export const RUN = `query ($id: ID!) { run(id: $id) { id workflow version status labels payload result failure waiting
  steps(first: 100) { edges { node { id status output attempts { number outcome failure startedAt endedAt cpuMs } } } }
  events(first: 100) { edges { node { seq type at data } } pageInfo { hasNextPage endCursor } } } }`;

export interface SeenRun {
  readonly id: string;
  readonly version: string;
  readonly status: string;
  readonly result: unknown;
  readonly failure: { readonly code: string; readonly message: string; readonly step?: string } | null;
  readonly waiting: { readonly cause: string; readonly reason?: string } | null;
  readonly steps: readonly {
    readonly id: string;
    readonly status: string;
    readonly output: unknown;
    readonly attempts: readonly object[];
  }[];
  readonly events: { readonly edges: readonly { readonly node: { readonly seq: number; readonly type: string; readonly data: never } }[] };
}

/** What takes longer is asked for less often, and seen an eighth later at most: each question costs the platform that is being tested. */
const pauseMs = (waitedMs: number): number => Math.min(200, Math.max(25, waitedMs / 8));

/** A run whose steps and calls, which come as a page, are lists. */
export function flat<T>(run: unknown): T {
  const listed = Object.entries(run as object).map(([name, value]) => [name, PAGED.has(name) ? value.edges.map(nodeOf) : value]);
  return Object.fromEntries(listed) as T;
}
const PAGED: ReadonlySet<string> = new Set(["steps", "operations", "choices", "groups", "hooks", "warnings"]);
const nodeOf = ({ node }: { readonly node: unknown }): unknown => node;

/** The run once `seen` says so; throws what it last saw after `limitMs`. */
export async function runUntil(platform: Asked, id: string, seen: (run: SeenRun) => boolean, limitMs = 20_000): Promise<SeenRun> {
  const began = Date.now();
  for (;;) {
    const { data, errors } = await platform.ask(RUN, { id });
    const run = data?.["run"] ? flat<SeenRun>(data["run"]) : null;
    if (run && seen(run)) return run;
    const waitedMs = Date.now() - began;
    if (waitedMs > limitMs) throw new Error(`not seen in ${limitMs} ms: ${JSON.stringify(run ?? errors)}`);
    await sleep(pauseMs(waitedMs));
  }
}

export const ended = (run: SeenRun): boolean => ["SUCCEEDED", "FAILED", "CANCELLED"].includes(run.status);

/** One field of an answer that must be there. */
export function field<T>(answer: Answer, name: string): T {
  const value = answer.data?.[name];
  if (value === null || value === undefined) throw new Error(`no ${name}: ${JSON.stringify(answer.errors)}`);
  return value as T;
}

/** Publishes one WOML text or definition and answers the version's id. */
export async function publish(platform: Asked, what: string | object, key?: string): Promise<string> {
  const input = typeof what === "string" ? { files: [{ path: "test.woml", text: what }] } : { definition: what };
  const { version, diagnostics } = field<{ version: string | null; diagnostics: unknown }>(
    await platform.ask(PUBLISH, { input }, key),
    "publish",
  );
  if (!version) throw new Error(`refused: ${JSON.stringify(diagnostics)}`);
  return version;
}

export async function start(platform: Asked, input: object, key?: string): Promise<string> {
  return field<{ run: { id: string } }>(await platform.ask(START, { input }, key), "startRun").run.id;
}

/** A workflow of steps in sequence: `chain("w", { a: "return 1;", b: "return 2;" })`. */
export function chain(id: string, scripts: Readonly<Record<string, string>>): string {
  const steps = Object.entries(scripts).map(([step, body]) => `<step id="${step}"><script>${body}</script></step>`);
  return `<woml><workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${steps.join("")}</steps></workflow></woml>`;
}
