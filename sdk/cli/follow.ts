import { setTimeout as sleep } from "node:timers/promises";
import type { Client, RunSummary } from "@woml/client";
import type { RunView } from "@woml/run";
import { Ending, EXIT } from "./exit.ts";
import { noRun } from "./verdict.ts";

const ENDED: readonly RunView["status"][] = ["succeeded", "failed", "cancelled"];
const FIRST_PAUSE_MS = 15;
const LONGEST_PAUSE_MS = 500;

/**
 * The whole view of a run once it has ended. One that is held, has an unknown outcome or waits for a decision moves only when somebody does something, and is
 * answered as it stands.
 * `signal` ends the wait with a rejection.
 */
export async function follow(client: Client, id: string, signal?: AbortSignal): Promise<RunView> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const seen = await client.summary(id);
    if (seen && (ENDED.includes(seen.status) || waitsForSomebody(seen))) return whole(client, id);
    await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => {});
    if (signal?.aborted) throw new Ending(EXIT.failed, "WOML_INTERRUPTED", `Interrupted; the run ${id} has not ended.`);
  }
}

/** An approval whose time is over soon is waited for. */
const SOON_MS = 60_000;

function waitsForSomebody({ status, waiting }: RunSummary): boolean {
  if (status === "needs_resolution" || waiting?.cause === "held") return true;
  if (status !== "waiting" || waiting?.cause !== "approval") return false;
  return waiting.until === undefined || Date.parse(waiting.until) > Date.now() + SOON_MS;
}

async function whole(client: Client, id: string): Promise<RunView> {
  const view = await client.run(id);
  if (view) return view;
  throw noRun(id);
}

export const exitOf = (run: RunView): typeof EXIT.ok | typeof EXIT.failed => (run.status === "succeeded" ? EXIT.ok : EXIT.failed);
