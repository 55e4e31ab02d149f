import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Ending, EXIT } from "../exit.ts";
import { EXAMPLES } from "./files.ts";

/** Where the example's plugin may reach, as its manifest says. */
export const PROVIDER = { port: 4010, host: "127.0.0.1:4010" } as const;

/** The example's payment provider, a process of its own that keeps a ledger. */
export interface Provider {
  /** Lines of the ledger: effects that were really performed. */
  effects(): Promise<number>;
  /** The next charge is performed, and its answer held back so long. */
  holdNextAnswer(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** Rejects with WOML_PORT_TAKEN when something else listens where it should. */
export async function startProvider(ledger: string, apiKey: string): Promise<Provider> {
  const main = join(EXAMPLES, "payments-server", "main.ts");
  const args = ["--disable-warning=ExperimentalWarning", main, "--port", String(PROVIDER.port), "--ledger", ledger, "--api-key", apiKey];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  await listening(child);
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://${PROVIDER.host}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    return answer.json();
  };
  return {
    effects: async () => {
      const said = await ask("GET", "/ledger");
      return typeof said === "object" && said !== null && "effects" in said ? Number(said.effects) : Number.NaN;
    },
    holdNextAnswer: async (ms) => void (await ask("POST", "/faults", { kind: "delay", on: "charge", ms })),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      // It holds an answer back, and its ledger is complete at any moment.
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function listening(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(() => false);
  const heard = child.stdout ? once(createInterface({ input: child.stdout }), "line").then(() => true) : ended;
  if (await Promise.race([heard, ended])) return;
  const message = `The example's payment provider cannot listen on ${PROVIDER.host}: stop what does, and start again.`;
  throw new Ending(EXIT.failed, "WOML_PORT_TAKEN", message);
}
