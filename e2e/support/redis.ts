import { RedisServer, skip } from "@woml/boot/testing";

/** A redis-server of a test's own. */
export interface TestRedis {
  readonly url: string;
  /** FLUSHALL, as an operator's mishap would. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Why there is none on this machine, or null; under WOML_REQUIRE_ALL a test goes on all the same, and fails. */
export const redisLacks = (): string | null => skip || null;

export async function startRedis(folder: string): Promise<TestRedis> {
  const server = await RedisServer.start("--maxmemory-policy", "noeviction", "--dir", folder);
  return {
    url: server.url,
    flush: async () => void (await server.ask("FLUSHALL")),
    stop: () => server.stop("SIGKILL"),
  };
}
