import type { Doorbell, Log } from "@woml/boot";
import type { EngineStore } from "@woml/prisma";
import type { Sandbox } from "@woml/sandbox";

/** All that is impure about an engine, so that a simulation can play it. */
export interface World {
  readonly store: EngineStore;
  readonly sandbox: Sandbox;
  readonly doorbell: Doorbell;
  readonly log: Log;
  /** Milliseconds that never go back; PostgreSQL's time is this plus an offset learnt from each renewal and append. */
  readonly monotonic: () => number;
  /** Answers a function that stops the alarm. */
  readonly alarm: (delayMs: number, ring: () => void) => () => void;
  /** A new UUIDv7; a new 32-byte seed in hex; sha256 as `sha256:` and hex. */
  readonly mint: () => string;
  readonly seed: () => string;
  readonly digest: (text: string) => string;
}
/** What an operator may set; `bounds.ts` has the defaults. */
export interface EngineOptions {
  /** Runs held in memory at once; at it nothing is claimed or admitted. */
  readonly drivenMax?: number;
  /** Invocations in flight at once, in all and for one tenant. */
  readonly window?: number;
  readonly tenantWindow?: number;
  /** How long `stop` lets scripts run on. */
  readonly graceMs?: number;
}
export interface Engine {
  readonly id: string;
  /** Takes no new work, lets what runs end within the limit, hands back its runs. */
  stop(): Promise<void>;
  /** Resolves when the engine has lost its lease and dispatches nothing any more. A stop does not resolve it. */
  readonly ended: Promise<void>;
}
