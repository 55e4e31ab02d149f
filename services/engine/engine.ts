import type { Doorbell, Log, Telemetry } from "@woml/boot";
import type { PluginHost } from "@woml/plugin-host";
import type { EngineStore, TriggerStore } from "@woml/prisma";
import type { Sandbox } from "@woml/sandbox";

/** What an engine performs with may say why it cannot at the moment, in one sentence; null when it can. */
interface Faulting {
  fault?(): string | null;
}
/** All that is impure about an engine, so that a simulation can play it. */
export interface World {
  readonly store: EngineStore;
  /** What it does for triggers, beside its runs; absent, it does nothing for them. */
  readonly triggers?: Omit<TriggerStore, "close">;
  readonly sandbox: Sandbox & Faulting;
  readonly plugins: PluginHost & Faulting;
  readonly doorbell: Doorbell;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Milliseconds that never go back; PostgreSQL's time is this plus an offset learnt from each renewal and append. */
  readonly monotonic: () => number;
  /** Answers a function that stops the alarm. */
  readonly alarm: (delayMs: number, ring: () => void) => () => void;
  /** A new UUIDv7; a new 32-byte seed in hex; sha256 as `sha256:` and hex. */
  readonly mint: () => string;
  readonly seed: () => string;
  readonly digest: (text: string) => string;
  /** HMAC-SHA256 in hex under a secret (a run's seed): chance and handles that nobody can guess and every replay draws again. */
  readonly derive: (seed: string, label: string) => string;
  /** The value of a sealed secret. Throws where it was sealed for another tenant, name or key. */
  readonly unseal: (of: { readonly tenant: string; readonly name: string }, sealed: Uint8Array) => string;
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
  /** The lease, renewed every fifth of it; how far two clocks may be apart; when a script that only waits gives up its isolate. */
  readonly leaseMs?: number;
  readonly clockBoundMs?: number;
  readonly parkAfterMs?: number;
}
export interface Engine {
  readonly id: string;
  /** Takes no new work, lets what runs end within the limit, hands back its runs. */
  stop(): Promise<void>;
  /** Why this engine cannot do its work at the moment, in one sentence; null when it can. */
  fault(): string | null;
  /** PostgreSQL's time as this engine knows it, epoch ms: never ahead of it. */
  now(): number;
  /** Resolves when the engine has lost its lease and dispatches nothing any more. A stop does not resolve it. */
  readonly ended: Promise<void>;
}
