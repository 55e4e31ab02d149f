import type { SandboxDouble } from "../sandbox-double.ts";
import type { Process } from "./process.ts";

/** The place of an engine: one process after another. */
export interface Slot {
  process: Process | null;
  sandbox: SandboxDouble | null;
  /** Frames in the sandbox, by invocation. */
  flights: Map<string, string>;
  stop: () => Promise<void>;
}

export const isFlying = ({ flights }: Slot): boolean => flights.size > 0;
export const idle = (): Slot => ({ process: null, sandbox: null, flights: new Map(), stop: async () => undefined });
