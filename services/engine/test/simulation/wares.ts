import { canonical } from "@woml/model";
import { digest } from "./process.ts";

const usual = { input: { type: "object" }, output: {}, timeoutMs: 6_000, maxInputBytes: 1_000, maxOutputBytes: 1_000, retryable: ["BUSY"] };
const window = (windowHours: number) => ({ idempotency: { header: "Idempotency-Key", windowHours } });
/** The provider forgets a key of `flash` and `spark` so soon that it happens within a story. */
const SHORT_HOURS = 0.005;
const HOUR_MS = 3_600_000;

/** What the made-up plugin offers: each effect class, with and without what its provider may know. */
export const OPERATIONS = {
  quote: { effect: "pure", ...usual },
  charge: { effect: "keyed", ...usual, ...window(1) },
  flash: { effect: "keyed", ...usual, ...window(SHORT_HOURS), failures: "sticky" },
  spark: { effect: "keyed", ...usual, ...window(SHORT_HOURS) },
  transfer: { effect: "reattachable", ...usual, status: { conclusiveNotFoundAfterMs: 6_000, pendingMaxMs: 20_000 } },
  wire: { effect: "reattachable", ...usual, status: { pendingMaxMs: 3_000 } },
  settle: { effect: "reattachable", ...usual, ...window(1), status: { pendingMaxMs: 20_000 } },
  refund: { effect: "unsafe", ...usual },
} as const;
export type OperationName = keyof typeof OPERATIONS;

/** What their provider keeps to: how long it knows a key, whether it keeps refusals under it, and how late a request may still land. */
export const TRAITS: { readonly [K in OperationName]: { readonly keyMs: number; readonly isSticky: boolean; readonly lateMs: number } } = {
  quote: { keyMs: 0, isSticky: false, lateMs: 1_000 },
  charge: { keyMs: HOUR_MS, isSticky: false, lateMs: 10_000 },
  flash: { keyMs: SHORT_HOURS * HOUR_MS, isSticky: true, lateMs: 850 },
  spark: { keyMs: SHORT_HOURS * HOUR_MS, isSticky: false, lateMs: 850 },
  transfer: { keyMs: 0, isSticky: false, lateMs: 5_000 },
  wire: { keyMs: 0, isSticky: false, lateMs: 10_000 },
  settle: { keyMs: HOUR_MS, isSticky: false, lateMs: 10_000 },
  refund: { keyMs: 0, isSticky: false, lateMs: 10_000 },
};

export const CAPABILITY = "test.shop";
export const MANIFEST = canonical({
  manifestVersion: 1,
  id: CAPABILITY,
  version: "1.0.0",
  contract: 1,
  publisher: "tests",
  permissions: {},
  operations: OPERATIONS,
});
export const RELEASE = digest(MANIFEST);

/** What scripts import, by digest: no other text may ever be sent for it. */
export const MODULES: ReadonlyMap<string, string> = new Map(
  ["const source0 = 1;\nexport { f };\n", "const source0 = 2;\nexport { f };\n"].map((text) => [digest(text), text]),
);

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}
