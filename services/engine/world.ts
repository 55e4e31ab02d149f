import { createHash, createHmac, randomBytes } from "node:crypto";
import type { World } from "./engine.ts";

/** The impure parts that are the same everywhere; stores, sandbox, plugin host, doorbell, log and the key of secrets are given by whoever starts the engine. */
export const realWorld: Pick<World, "monotonic" | "alarm" | "mint" | "seed" | "digest" | "derive"> = {
  monotonic: () => performance.now(),
  alarm: (delayMs, ring) => {
    const timer = setTimeout(ring, Math.min(delayMs, LONGEST_MS));
    return () => clearTimeout(timer);
  },
  mint: () => uuidV7(Date.now(), randomBytes(10)),
  seed: () => randomBytes(32).toString("hex"),
  derive: (seed, label) => createHmac("sha256", seed).update(label).digest("hex"),
  digest: (text) => `sha256:${createHash("sha256").update(text).digest("hex")}`,
};

/** Beyond this a timer of Node's rings at once; whoever set it looks at the time and sets it again. */
const LONGEST_MS = 2_147_483_647;

/** RFC 9562: 48 bits of milliseconds, the version, 12 random bits, the variant, 62 random bits. */
function uuidV7(ms: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
