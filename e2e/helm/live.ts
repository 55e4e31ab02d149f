// What is rendered, started: migration first, then every pod, then the test that `helm test` would run; then told to end.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLog, openStops, type Stops } from "@woml/boot";
import { openCopy } from "@woml/platform/testing";
import { Client } from "pg";
import { ROOT } from "../support/platform.ts";
import { redisLacks, startRedis } from "../support/redis.ts";
import { woml } from "../support/woml.ts";
import { fact, type Tell } from "./fact.ts";
import type { Judged } from "./judge.ts";
import { type Secrets, wayToPlay } from "./pods.ts";
import { openRelease, type Release } from "./release.ts";
import { tellRollout } from "./rollout.ts";

interface Around {
  readonly tell: Tell;
  readonly skip: (name: string, why: string) => void;
}

/** Tells what came of the usual values and of those for a database with a single user. */
export async function tellLive(judged: ReadonlyMap<string, Judged>, { tell, skip }: Around): Promise<void> {
  const way = wayToPlay();
  if (way === null) return skip("pods", "names of services need a mount namespace: run as root, or where unshare --map-root-user works");
  const lacks = redisLacks();
  if (lacks !== null) return skip("pods", lacks);
  tell(fact("pods run as", way.says));
  for (const values of ["usual", "single-user"] as const) {
    const { manifests = [] } = judged.get(values) ?? {};
    if (manifests.length === 0) continue;
    const stops = openStops(openLog("helm", "error"));
    const cut = (): void => void stops.stop().finally(() => process.exit(130));
    process.once("SIGINT", cut).once("SIGTERM", cut);
    try {
      const folder = mkdtempSync(join(tmpdir(), "woml-helm-"));
      stops.add("folder", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
      const secrets = await MADE[values](folder, stops);
      const release = await openRelease({ manifests, secrets, folder: join(folder, "pods"), way });
      stops.add("release", release.close);
      await tellRelease(values, { release, secrets }, tell);
    } catch (error) {
      tell(fact(`started ${values}`, "", [error instanceof Error ? error.message : String(error)]));
    } finally {
      process.off("SIGINT", cut).off("SIGTERM", cut);
      await stops.stop();
    }
  }
}

const MADE = { usual: usualSecrets, "single-user": singleUserSecrets } as const;

/** As docs/cluster.md has them made. */
async function usualSecrets(folder: string, stops: Stops): Promise<Secrets> {
  const [postgres, redis] = await Promise.all([openCopy(join(folder, "postgres")), startRedis(folder)]);
  stops.add("postgres", () => postgres.stop());
  stops.add("redis", () => redis.stop());
  return new Map([
    [
      "woml-database",
      {
        "owner-url": postgres.url,
        "control-url": urlAs(postgres.url, "woml_control"),
        "engine-url": urlAs(postgres.url, "woml_engine"),
      },
    ],
    ["woml-redis", { url: redis.url }],
    ["woml-bootstrap", { "admin-key": await said("admin", "key") }],
    ...(await shared()),
  ]);
}

/** A user who owns its database and may create roles, and is nothing beyond. */
async function singleUserSecrets(folder: string, stops: Stops): Promise<Secrets> {
  const postgres = await openCopy(join(folder, "postgres"));
  stops.add("postgres", () => postgres.stop());
  const url = urlAs(postgres.url, "flows");
  const owner = new Client({ connectionString: postgres.url });
  await owner.connect();
  try {
    await owner.query(`CREATE ROLE flows LOGIN CREATEROLE PASSWORD '${new URL(url).password}'`);
    await owner.query("CREATE DATABASE flows OWNER flows");
  } finally {
    await owner.end();
  }
  const own = new URL(url);
  own.pathname = "/flows";
  // Its administrator's key is made once it runs.
  return new Map([["woml-database", { uri: own.href }], ...(await shared())]);
}

async function shared(): Promise<Secrets> {
  const pair: Readonly<Record<string, string>> = JSON.parse(await said("admin", "seal-keys", "-o", "json"));
  const { WOML_SEAL_PUBLIC_KEY: open = "", WOML_SEAL_PRIVATE_KEY: closed = "" } = pair;
  return new Map<string, Readonly<Record<string, string>>>([
    ["woml-line", { "sandbox-secret": randomBytes(32).toString("hex"), "plugin-host-secret": randomBytes(32).toString("hex") }],
    ["woml-seal", { "public-key": open, "private-key": closed }],
  ]);
}

/** What the command that the documentation names prints. */
async function said(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await woml(ROOT, args);
  if (code !== 0) throw new Error(`woml ${args.join(" ")} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

function urlAs(url: string, user: string): string {
  const other = new URL(url);
  [other.username, other.password] = [user, randomBytes(18).toString("base64url")];
  return other.href;
}

interface Played {
  readonly release: Release;
  readonly secrets: Secrets;
}

async function tellRelease(values: string, { release, secrets }: Played, tell: Tell): Promise<void> {
  const about = (what: string): string => `${what} ${values}`;
  const migrated = await release.hook("pre-install");
  tell(fact(about("migration"), `exit ${migrated.code} in ${migrated.ms} ms`, migrated.code === 0 ? [] : [migrated.said]));
  if (migrated.code !== 0) return;
  const slowest = await release.install();
  tell(fact(about("pods ready"), `${release.pods.length} pods, the slowest after ${slowest} ms`));
  if (!secrets.has("woml-bootstrap")) await makeAdmin(about, { release, secrets }, tell);
  const smoke = await release.hook("test");
  tell(
    fact(
      about("helm test"),
      `exit ${smoke.code}, ${smoke.said.trim().replaceAll(/\s+/g, " ").slice(-120)}`,
      smoke.code === 0 ? [] : [smoke.said],
    ),
  );
  const again = await release.hook("pre-upgrade");
  tell(fact(about("migration while all run"), `exit ${again.code} in ${again.ms} ms`, again.code === 0 ? [] : [again.said]));
  const admin = secrets.get("woml-bootstrap")?.["admin-key"];
  if (admin !== undefined) await tellRollout(release, admin, tell);
  await tellEnd(about, release, tell);
  // The public key of a pair opens nothing, and is not looked for.
  const texts = [...secrets.values()].flatMap((one) =>
    Object.entries(one).flatMap(([key, text]) => (key === "public-key" ? [] : openers(text))),
  );
  const logs = release.logs();
  const shown = texts.filter((text) => logs.includes(text));
  tell(
    fact(
      about("secrets in logs"),
      `${shown.length} of ${texts.length} in ${logs.length} characters`,
      shown.map(() => "A pod has written a secret."),
    ),
  );
}

/** As `kubectl exec deploy/woml-control -- woml admin create` makes one: the key is told to whoever asks, and to no log. */
async function makeAdmin(about: (what: string) => string, { release, secrets }: Played, tell: Tell): Promise<void> {
  const { code, said: key, ms } = await release.exec("control", ["admin", "create"]);
  secrets.set("woml-admin", { key: key.trim() });
  tell(fact(about("first administrator"), `exit ${code} in ${ms} ms`, code === 0 ? [] : [key]));
}

/** All are told at once, as at an uninstall. Control says first that it is not ready, and answers meanwhile. */
async function tellEnd(about: (what: string) => string, release: Release, tell: Tell): Promise<void> {
  const live = await Promise.all(release.pods.map((pod) => pod.probe("livenessProbe")));
  tell(
    fact(
      about("pods live"),
      `${live.filter(({ status }) => status === 200).length} of ${live.length}`,
      live.filter(({ status }) => status !== 200).map(({ text }) => text),
    ),
  );
  const began = performance.now();
  const ending = release.pods.map(async (pod) => ({ pod, code: await pod.stop() }));
  release.leave();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const control = release.pods.find(({ role }) => role === "control");
  const draining = await control?.probe("readinessProbe");
  tell(
    fact(
      about("control drains"),
      `${draining?.status} ${draining?.text.trim()}`,
      draining?.status === 503 ? [] : ["It is still ready, or gone already."],
    ),
  );
  const ended = await Promise.all(ending);
  const bad = ended.filter(({ code }) => code !== 0).map(({ pod, code }) => `${pod.name} ended with ${code}`);
  tell(fact(about("SIGTERM"), `${ended.length} pods, exit 0, after ${Math.round(performance.now() - began)} ms`, bad));
}

/** Of a URL its password. */
function openers(text: string): readonly string[] {
  const password = URL.canParse(text) ? new URL(text).password : text;
  return password.length < 8 ? [] : [password];
}
