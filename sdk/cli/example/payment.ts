import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, openClient } from "@woml/client";
import type { RunView } from "@woml/run";
import { readPlugin } from "../artefact.ts";
import { Ending, EXIT, type ExitCode } from "../exit.ts";
import { exitOf, follow } from "../follow.ts";
import type { Launched } from "../launch.ts";
import { fromHere } from "../path.ts";
import { publish } from "../publish.ts";
import { note, say, sayJson } from "../terminal.ts";
import { timeline } from "../timeline.ts";
import { EXAMPLES, exampleSource } from "./files.ts";
import { type Provider, startProvider } from "./provider.ts";

/** Longer than anybody waits here: the answer is lost with the process that waits for it. */
const HELD_MS = 20_000;
const PATIENCE_MS = 30_000;

interface Shown {
  readonly run: RunView;
  /** Charges that the provider performed for it. */
  readonly effects: number;
}
interface Stage {
  /** How a run's timeline is said: on stdout, or where that is for JSON beside it. */
  readonly tell: (text: string) => void;
  readonly client: Client;
  readonly provider: Provider;
  readonly launched: Launched;
  readonly version: string;
}

/**
 * A payment through a reviewed plugin, twice: once undisturbed, and once with the plugin's process killed between the charge and its answer.
 * The provider's ledger counts what was really charged.
 */
export async function showPayment(launched: Launched, data: string, output: "json" | "table"): Promise<ExitCode> {
  const apiKey = randomUUID();
  const provider = await startProvider(join(fromHere(data), "example-payments.ledger"), apiKey);
  try {
    const client = openClient(launched.platform.graphql, launched.platform.key);
    await review(client, openClient(launched.platform.graphql, launched.platform.admin));
    await client.setSecret("ACME_API_KEY", apiKey);
    await earlier(client, launched.signal);
    const stage = { tell: output === "json" ? note : say, client, provider, launched, version: await published(client) };
    const shown = [await undisturbed(stage), await killed(stage)];
    if (output === "json") sayJson(shown);
    return shown.every(({ run, effects }) => exitOf(run) === EXIT.ok && effects === 1) ? EXIT.ok : EXIT.failed;
  } finally {
    await provider.stop();
  }
}

/** Hands the plugin in with the tenant's key; approves and grants it with the administrator's. */
async function review(tenant: Client, admin: Client): Promise<void> {
  const { release, complaints } = await tenant.submitPlugin(readPlugin(join(EXAMPLES, "plugins", "acme-payments"), {}));
  if (release === null) throw new Ending(EXIT.invalid, "WOML_PLUGIN_MANIFEST_INVALID", complaints.join(" "));
  if (release.approved === null) {
    const { artefactDigest, manifestDigest } = release;
    await admin.approvePlugin({ release: release.release, artefactDigest, manifestDigest });
  }
  const { tenant: own } = await tenant.me();
  if (own) await admin.grantPlugin({ tenant: own.id, capability: release.capability });
  note(`${release.capability} ${release.version} is handed in, approved and granted; it reaches 127.0.0.1:4010, where the provider runs.`);
}

/** Payments that an interrupted start left go on by themselves; their charges are not to be counted as those of the ones shown. */
async function earlier(client: Client, signal: AbortSignal): Promise<void> {
  const { items } = await client.runs({ first: 100, workflow: "payment", status: ["queued", "running", "waiting"] });
  for (const { id } of items) {
    note(`The payment ${id} of an earlier start goes on first …`);
    await follow(client, id, signal);
  }
}

async function published(client: Client): Promise<string> {
  const { version, diagnostics } = await publish(client, exampleSource("payment"), true);
  if (version !== null) return version;
  throw new Ending(EXIT.invalid, diagnostics[0]?.code ?? "WOML_PUBLISH_REFUSED", diagnostics[0]?.message ?? "The example is refused.");
}

async function undisturbed(stage: Stage): Promise<Shown> {
  const before = await stage.provider.effects();
  const run = await follow(stage.client, await pay(stage, "order-1"), stage.launched.signal);
  return told(stage, run, before);
}

async function killed(stage: Stage): Promise<Shown> {
  const { client, provider, launched } = stage;
  note("\nOnce more. This time the provider charges and holds its answer back …");
  const before = await provider.effects();
  await provider.holdNextAnswer(HELD_MS);
  const id = await pay(stage, "order-2");
  await charged(stage, before);
  const pid = launched.platform.pids.plugins ?? 0;
  process.kill(pid, "SIGKILL");
  note(`… the ledger has the charge, nobody has the answer: the plugin host (pid ${pid}) is killed with SIGKILL.`);
  note("A retry could charge twice. The platform starts the host again and asks the provider what became of this very charge …");
  return told(stage, await follow(client, id, launched.signal), before);
}

async function pay({ client, version }: Stage, orderId: string): Promise<string> {
  const payload = { orderId, amount: 4_200, currency: "EUR", customer: "cus-7" };
  return (await client.startRun({ workflow: "payment", version, payload })).run.id;
}

async function charged({ provider, launched }: Stage, before: number): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
    if ((await provider.effects()) > before || launched.signal.aborted) return;
  }
  throw new Ending(EXIT.failed, "WOML_INTERRUPTED", "The provider has not charged in time.");
}

async function told({ provider, tell }: Stage, run: RunView, before: number): Promise<Shown> {
  const effects = (await provider.effects()) - before;
  tell(timeline(run));
  for (const { id, evidence } of run.operations.filter(({ tries, by, evidence: how }) => tries > 1 || by !== "script" || how !== ""))
    note(`${id}: ${evidence}`);
  note(`The provider's ledger: ${effects} charge${effects === 1 ? "" : "s"} for this run.`);
  return { run, effects };
}
