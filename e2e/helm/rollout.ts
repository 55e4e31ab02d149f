// Every pod of a release replaced while a client goes on starting runs through the service, as an upgrade replaces them: what was accepted ends
// well. A request whose connection broke is asked again under its idempotency key, as any client has to.
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, openClient } from "@woml/client";
import { chain } from "../support/platform.ts";
import { fact, type Tell } from "./fact.ts";
import type { Release } from "./release.ts";

const WORKFLOW = "rolling";
const WAIT = "await new Promise((resolve) => setTimeout(resolve, 400)); return 1;";
const EVERY_MS = 250;
const TRIES = 20;
const END_MS = 120_000;
const ROLES = ["plugin-host", "sandbox", "engine", "control"] as const;

interface Asked {
  /** Ids of accepted runs. */
  readonly runs: string[];
  again: number;
  /** Requests that were refused, or not answered in twenty tries. */
  readonly lost: string[];
}

export async function tellRollout(release: Release, admin: string, tell: Tell): Promise<void> {
  const url = `http://${release.control}/graphql`;
  const { key } = await openClient(url, admin).createTenant("rolling");
  const client = openClient(url, key);
  await client.publish({ files: [{ path: "rolling.woml", text: chain(WORKFLOW, { first: WAIT, second: WAIT }) }] });
  const asked: Asked = { runs: [], again: 0, lost: [] };
  const over = new AbortController();
  const asking = goOn(client, asked, over.signal);
  for (const role of ROLES) {
    const began = performance.now();
    const codes = await release.roll(role);
    const bad = codes.filter((code) => code !== 0).map((code) => `One of ${role} ended with ${code}.`);
    tell(fact(`rollout of ${role}`, `${codes.length} pods in ${Math.round(performance.now() - began)} ms`, bad));
  }
  over.abort();
  await asking;
  const open = await unfinished(client, asked.runs);
  const figure = `${asked.runs.length} accepted meanwhile, ${asked.again} asked again, ${asked.runs.length - open.length} succeeded`;
  tell(fact("runs of a rollout", figure, [...asked.lost, ...open, ...(asked.runs.length > 20 ? [] : ["hardly anything was asked"])]));
}

async function goOn(client: Client, asked: Asked, over: AbortSignal): Promise<void> {
  const begun: Promise<void>[] = [];
  for (let nth = 1; !over.aborted; nth++) {
    begun.push(start(client, `rolling-${nth}`, asked));
    await sleep(EVERY_MS);
  }
  await Promise.all(begun);
}

async function start(client: Client, idempotencyKey: string, asked: Asked): Promise<void> {
  for (let nth = 1; ; nth++) {
    try {
      const { run } = await client.startRun({ workflow: WORKFLOW, payload: {}, idempotencyKey });
      asked.runs.push(run.id);
      return;
    } catch (error) {
      asked.again += 1;
      if (nth === TRIES) return void asked.lost.push(`${idempotencyKey}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await sleep(EVERY_MS);
  }
}

/** Those that did not succeed in time, with what is wrong with them. */
async function unfinished(client: Client, runs: readonly string[]): Promise<readonly string[]> {
  const end = performance.now() + END_MS;
  for (;;) {
    const page = await client.runs({ workflow: WORKFLOW, status: ["queued", "running", "waiting", "cancelling"], first: 1 });
    if (page.items.length === 0 || performance.now() > end) break;
    await sleep(500);
  }
  const good = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await client.runs({ workflow: WORKFLOW, status: ["succeeded"], first: 100, ...(after !== undefined && { after }) });
    for (const { id } of page.items) good.add(id);
    if (!page.hasNextPage || page.endCursor === null) break;
    after = page.endCursor;
  }
  const double = good.size - new Set(runs).size;
  return [
    ...runs.filter((id) => !good.has(id)).map((id) => `${id} did not succeed`),
    ...(double > 0 ? [`${double} runs more than were asked for`] : []),
  ];
}
