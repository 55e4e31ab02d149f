// The payment server of the examples in a process of its own: what it has done stands in its ledger, and it alone counts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MAIN = join(import.meta.dirname, "..", "..", "examples", "payments-server", "main.ts");

export interface Ledger {
  readonly url: string;
  /** Every charge is done at once and answered so much later. */
  answerLate(ms: number): Promise<void>;
  /** Charges in the ledger, by customer. */
  charges(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

export async function startLedger(folder: string): Promise<Ledger> {
  const argv = ["--disable-warning=ExperimentalWarning", MAIN, "--port", "0", "--ledger", join(folder, "ledger")];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    gone.then(([code]) => Promise.reject(new Error(`the ledger ended with ${code} before it was ready`))),
  ]);
  const { listening: url } = JSON.parse(String(line)) as { readonly listening: string };
  return {
    url,
    answerLate: async (ms) => {
      const body = JSON.stringify({ kind: "delay", on: "charge", times: 1_000_000, ms });
      const { ok } = await fetch(`${url}/faults`, { method: "POST", body });
      if (!ok) throw new Error("the ledger knows no such fault");
    },
    charges: async () => {
      const { entries } = (await (await fetch(`${url}/ledger`)).json()) as { readonly entries: readonly { readonly subject: string }[] };
      const counts = new Map<string, number>();
      for (const { subject } of entries) counts.set(subject, (counts.get(subject) ?? 0) + 1);
      return counts;
    },
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}
