import type { EffectClass, When } from "./effect.ts";
import type { OperationManifest } from "./manifest.ts";
import { at } from "./pointer.ts";

const HOUR_MS = 3_600_000;

/** What the platform may do after a crash. Times in ms. */
export interface Terms {
  readonly class: EffectClass;
  /** How long after the first dispatch the provider knows the key; null: not at all. */
  readonly windowMs: number | null;
  /** From when after the end of a dispatch "not found" proves that it will never be found; null: never. */
  readonly conclusiveNotFoundAfterMs: number | null;
  /** How long "pending" is believed. */
  readonly pendingMaxMs: number | null;
}
/** The header that carries the key, and the author's own key in place of the platform's. */
export interface Idempotency {
  readonly header: string;
  readonly value: string | null;
}

/**
 * The terms of one call: the first line of the manifest's table that holds for `input`, and what goes with its class.
 * A reattachable call has a window too when the manifest says which header carries the key and the input does not withhold its name.
 */
export function termsOf(operation: OperationManifest, input: unknown): Terms {
  const effect = classOf(operation, input);
  const status = effect === "reattachable" ? operation.status : undefined;
  const window = effect === "keyed" || effect === "reattachable" ? operation.idempotency?.windowHours : undefined;
  return {
    class: effect,
    windowMs: window !== undefined && idempotencyOf(operation, input) !== null ? Math.floor(window * HOUR_MS) : null,
    conclusiveNotFoundAfterMs: status?.conclusiveNotFoundAfterMs ?? null,
    pendingMaxMs: status?.pendingMaxMs ?? null,
  };
}

/** How the provider is given the key of this call; null where the manifest or the input names no header. */
export function idempotencyOf({ idempotency }: OperationManifest, input: unknown): Idempotency | null {
  if (!idempotency) return null;
  const header = typeof idempotency.header === "string" ? idempotency.header : at(input, idempotency.header.pointer);
  const value = idempotency.value && at(input, idempotency.value.pointer);
  if (typeof header !== "string" || header === "") return null;
  return { header, value: typeof value === "string" && value !== "" ? value : null };
}

function classOf({ effect }: OperationManifest, input: unknown): EffectClass {
  if (typeof effect === "string") return effect;
  return effect.table.find(({ when }) => holds(when, input))?.effect ?? effect.default;
}

function holds(when: When, input: unknown): boolean {
  const value = at(input, when.pointer);
  return "present" in when ? (value !== undefined) === when.present : when.in.some((one) => one === value);
}
