// For tests: a Redis of their own.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { Redis } from "ioredis";

export const IS_REQUIRED = process.env["WOML_REQUIRE_ALL"] === "1";
const IS_THERE = spawnSync("redis-server", ["--version"]).status === 0;
/** For `it`'s options: why these tests do not run here; false when they do. */
export const skip: string | false = IS_THERE || IS_REQUIRED ? false : "redis-server is not in PATH: apt-get install redis-server";

/** None outlives its test's process. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const one of running) one.kill("SIGKILL");
});

/** A real Redis on a port of its own, kept in memory only, that can be treated badly. `PORT` in an option is that port, for TLS. */
export class RedisServer {
  readonly port: number;
  readonly #options: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }
  /** Not started. */
  static async prepare(...options: readonly string[]): Promise<RedisServer> {
    return new RedisServer(await freePort(), options);
  }
  static async start(...options: readonly string[]): Promise<RedisServer> {
    const server = await RedisServer.prepare(...options);
    await server.start();
    return server;
  }
  get url(): string {
    return `${this.#options.includes("PORT") ? "rediss" : "redis"}://127.0.0.1:${this.port}`;
  }
  async start(): Promise<void> {
    const usual = ["--port", "PORT", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    const args = [...usual, ...this.#options].map((arg) => (arg === "PORT" ? String(this.port) : arg));
    const started = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
    this.#process = started;
    running.add(started);
    started.once("exit", () => running.delete(started));
    let said = "";
    for await (const chunk of started.stdout) {
      said += String(chunk);
      if (said.includes("Ready to accept connections")) break;
    }
    if (!said.includes("Ready to accept connections")) throw new Error(`redis-server did not start: ${said}`);
    started.stdout.on("error", () => undefined).resume();
  }
  /** Stopped it answers nobody, and its connections stay. */
  pause(): void {
    this.#process?.kill("SIGSTOP");
  }
  resume(): void {
    this.#process?.kill("SIGCONT");
  }
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const stopping = this.#process;
    this.#process = null;
    if (stopping === null || stopping.exitCode !== null || stopping.signalCode !== null) return;
    const ended = once(stopping, "exit");
    stopping.kill("SIGCONT");
    stopping.kill(signal);
    await ended;
  }
  /** One command from outside. */
  async ask(command: string, ...args: readonly string[]): Promise<unknown> {
    const redis = new Redis(this.port, "127.0.0.1");
    try {
      return await redis.call(command, ...args);
    } finally {
      redis.disconnect();
    }
  }
}

/** Below what systems take for connections of their own, so that it is still free when Redis is started again. */
const PORTS = { least: 20_000, most: 32_000 } as const;

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.least, PORTS.most);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
