// A redis-server of a test's own, out of PATH, on loopback.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./port.ts";

export interface TestRedis {
  readonly url: string;
  readonly pid: number;
  /** FLUSHALL, as an operator's mishap would. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Why there is none on this machine, or null. */
export function redisLacks(): string | null {
  const { error } = spawnSync("redis-server", ["--version"]);
  return error ? "redis-server is not there: apt-get install redis-server" : null;
}

export async function startRedis(folder: string): Promise<TestRedis> {
  const port = await freePort();
  const argv = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"];
  const child = spawn("redis-server", [...argv, "--dir", folder], { stdio: ["ignore", "ignore", "inherit"] });
  const gone = once(child, "exit");
  for (let tries = 0; (await say(port, "PING").catch(() => "")) !== "+PONG"; tries++) {
    if (tries > 200) throw new Error("redis-server does not answer");
    await sleep(25);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    flush: async () => {
      const said = await say(port, "FLUSHALL");
      if (said !== "+OK") throw new Error(`redis-server did not flush: ${said}`);
    },
    stop: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** One inline command; the first line of its answer. */
async function say(port: number, command: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write(`${command}\r\n`);
    const [chunk] = await once(socket, "data");
    return String(chunk).split("\r\n")[0] ?? "";
  } finally {
    socket.destroy();
  }
}
