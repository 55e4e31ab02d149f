// The payment server of the examples in a process of its own: what it has done stands in its ledger, and it alone counts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MAIN = join(import.meta.dirname, "..", "..", "examples", "payments-server", "main.ts");

/** An effect that took place. */
export interface Entry {
  readonly kind: "charge" | "hold" | "refund";
  readonly id: string;
  readonly key: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly subject: string;
}
export interface Ledger {
  readonly url: string;
  /** Every charge is done at once and answered so much later. */
  answerLate(ms: number): Promise<void>;
  entries(): Promise<readonly Entry[]>;
  /** Charges in the ledger, by customer. */
  charges(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

/** `apiKey`: without it in the authorization header everything is refused. */
export async function startLedger(folder: string, apiKey?: string): Promise<Ledger> {
  const key = apiKey === undefined ? [] : ["--api-key", apiKey];
  const argv = ["--disable-warning=ExperimentalWarning", MAIN, "--port", "0", "--ledger", join(folder, "ledger"), ...key];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    gone.then(([code]) => Promise.reject(new Error(`the ledger ended with ${code} before it was ready`))),
  ]);
  const { listening: url } = JSON.parse(String(line)) as { readonly listening: string };
  const entries = async (): Promise<readonly Entry[]> =>
    ((await (await fetch(`${url}/ledger`)).json()) as { readonly entries: readonly Entry[] }).entries;
  return {
    url,
    answerLate: async (ms) => {
      const body = JSON.stringify({ kind: "delay", on: "charge", times: 1_000_000, ms });
      const { ok } = await fetch(`${url}/faults`, { method: "POST", body });
      if (!ok) throw new Error("the ledger knows no such fault");
    },
    entries,
    charges: async () => {
      const counts = new Map<string, number>();
      for (const { subject } of await entries()) counts.set(subject, (counts.get(subject) ?? 0) + 1);
      return counts;
    },
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}
