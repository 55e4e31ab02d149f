import type { Client } from "@woml/client";
import type { Diagnostic } from "@woml/language";
import type { RunView } from "@woml/run";
import { follow } from "./follow.ts";
import type { Payload } from "./payload.ts";
import { type Publishable, publish, workflowOf } from "./publish.ts";

export interface TryOut {
  readonly what: Publishable;
  readonly payload: Payload;
  /** Whether later starts shall get this version too. */
  readonly activate: boolean;
  readonly signal: AbortSignal;
}
/** `run` is null when what was to be published is invalid. */
export interface Tried {
  readonly run: RunView | null;
  readonly diagnostics: readonly Diagnostic[];
  /** What a command needs to find its platform again; null when that is gone. */
  readonly where?: string | null;
}

/** Publishes, fires the manual trigger of exactly that version, and waits for the end of the run. */
export async function tryOut(client: Client, { what, payload, activate, signal }: TryOut): Promise<Tried> {
  const { version, diagnostics } = await publish(client, what, activate);
  if (version === null) return { run: null, diagnostics };
  const { run } = await client.startRun({ workflow: workflowOf(what), version, payload });
  return { run: await follow(client, run.id, signal), diagnostics };
}
