import { createHmac, hash, randomBytes, randomUUID } from "node:crypto";
import type { World } from "./engine.ts";

/** The impure parts that are the same everywhere; stores, sandbox, plugin host, doorbell, log and the key of secrets are given by whoever starts the engine. */
export const realWorld: Pick<World, "monotonic" | "alarm" | "mint" | "seed" | "digest" | "derive"> = {
  monotonic: () => performance.now(),
  alarm: (delayMs, ring) => {
    const timer = setTimeout(ring, Math.min(delayMs, LONGEST_MS));
    return () => clearTimeout(timer);
  },
  mint: () => uuidV7(Date.now()),
  seed: () => randomBytes(32).toString("hex"),
  derive: (seed, label) => createHmac("sha256", seed).update(label).digest("hex"),
  digest: (text) => `sha256:${hash("sha256", text)}`,
};

/** Beyond this a timer of Node's rings at once; whoever set it looks at the time and sets it again. */
const LONGEST_MS = 2_147_483_647;

/** RFC 9562: 48 bits of milliseconds, the version, 12 random bits, the variant, 62 random bits. But for the first 52 it is one of version 4. */
function uuidV7(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
