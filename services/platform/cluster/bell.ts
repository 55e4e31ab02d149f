import { type Doorbell, memoryDoorbell, type Settings } from "@woml/boot";
import type { Around } from "./part.ts";

/** Over Redis where one is named; else rings go no further than this process, and engines find work by looking. */
export async function openBell(
  settings: Pick<Settings<"engine">, "WOML_REDIS_URL" | "WOML_REDIS_PREFIX">,
  around: Around,
): Promise<Doorbell> {
  const { WOML_REDIS_URL: url, WOML_REDIS_PREFIX: prefix } = settings;
  const { log, telemetry } = around;
  if (url === undefined) {
    log.info("no Redis is named: engines find work by looking once a second");
    return memoryDoorbell();
  }
  const { redisDoorbell } = await import("@woml/boot/redis");
  return redisDoorbell({ url, prefix, log, lost: () => telemetry.count("woml_doorbell_lost_total") });
}
