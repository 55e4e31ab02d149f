import type { Doorbell, Log, Telemetry } from "@woml/boot";
import type { ControlStore } from "@woml/prisma";

export { ensureGrant, ensureRelease } from "./ensure.ts";
export { type ApiCode, CODES, ControlRefusal } from "./errors.ts";
export { createAdminKey, ensureAdminKey } from "./first-admin.ts";
export { isKey, type MintedKey, mintKey } from "./keys.ts";
export { startControl } from "./start.ts";

export interface ControlOptions {
  readonly store: ControlStore;
  readonly doorbell: Doorbell;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** The public key with which secrets are sealed (boot/envelope.ts). */
  readonly sealKey: string;
  /** How it is reached from outside, as addresses of webhooks begin; by default where it listens. */
  readonly publicUrl?: string | undefined;
  /** 127.0.0.1 unless an operator says otherwise. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}
export interface Control {
  /** `http://127.0.0.1:PORT/graphql` */
  readonly url: string;
  /** Why it cannot serve at the moment, in one sentence (database, migrations, doorbell, stopping); null when it can. Never rejects. */
  fault(): Promise<string | null>;
  /** Takes nothing new; what was begun may take so long (5 s when absent). */
  stop(graceMs?: number): Promise<void>;
}
