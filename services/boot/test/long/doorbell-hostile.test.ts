// Whoever holds Redis, or speaks in its place, costs latency: no memory, no processor, no noise, and never the process.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { redisDoorbell } from "../../bell/redis.ts";
import { RedisServer, skip } from "../../testing.ts";
import { until } from "../doorbell-contract.ts";

const MIB = 1_024 * 1_024;
const PREFIX = "{woml}";
const QUEUE = "rung";
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** Answers each chunk of commands as `answer` says; a command begins with `*`. */
async function falseRedis(
  answer: (socket: Socket, commands: number) => void,
): Promise<{ readonly url: string; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const commands = chunk.toString("latin1").match(/\*\d+\r\n/g)?.length ?? 0;
      asked += commands;
      answer(socket, commands);
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { url: `redis://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, asked: () => asked };
}
function bellAt(url: string) {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
  const bell = redisDoorbell({ url, prefix: PREFIX, log, lost: () => undefined });
  let heard = 0;
  bell.listen(QUEUE, () => void heard++);
  return { bell, lines, heard: () => heard };
}

test("an answer without an end is cut before it is kept", async () => {
  let [taken, cuts] = [0, 0];
  const piece = Buffer.alloc(MIB / 4, "a");
  const { url } = await falseRedis((socket) => {
    if (socket.listenerCount("drain") > 0) return;
    const pour = (): void => {
      while (!socket.destroyed) if (!socket.write(piece)) return;
    };
    socket.on("drain", () => {
      taken += piece.length;
      pour();
    });
    socket.once("close", () => void cuts++);
    socket.write(`$${512 * MIB}\r\n`);
    pour();
  });
  const { bell, lines } = bellAt(url);
  await until("it is cut", () => cuts > 0);
  assert.match(bell.fault() ?? "", /EMSGSIZE/);
  await sleep(2_500);
  assert.ok(taken < 48 * MIB, `${taken} bytes went in`);
  assert.ok(lines.length < 4, lines.join(""));
  await bell.close();
});

test("answers that nobody asked for end no process, also once BullMQ has let go, and are not asked for again at once", async () => {
  let connections = 0;
  const { url } = await falseRedis((socket) => {
    if (socket.listenerCount("drain") === 0) connections += 1;
    socket.on("drain", () => undefined);
    socket.write("+OK\r\n".repeat(2_000));
  });
  const { bell, lines } = bellAt(url);
  const ringing = setInterval(() => bell.ring(QUEUE), 20);
  await sleep(1_500);
  clearInterval(ringing);
  await bell.close();
  await sleep(100);
  assert.ok(connections < 8, `${connections} connections`);
  assert.ok(lines.length < 6, lines.join(""));
});

test("one that cuts every connection keeps nobody from closing, nor alive", { skip }, async () => {
  const server = await RedisServer.start();
  const { bell } = bellAt(server.url);
  await until("it is there", () => bell.fault() === null);
  let isOn = true;
  const kill = async (): Promise<void> => {
    while (isOn) {
      await server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await sleep(10);
    }
  };
  const killing = kill();
  await sleep(500);
  const began = performance.now();
  await bell.close();
  assert.ok(performance.now() - began < 3_000, `${performance.now() - began} ms`);
  isOn = false;
  await killing;
  await server.stop("SIGKILL");
});

test("a Redis that answers nothing at once, again and again, is not asked all the time", async () => {
  const { url, asked } = await falseRedis((socket, commands) => void socket.write("$-1\r\n".repeat(commands)));
  const { bell } = bellAt(url);
  await sleep(500);
  const [from, began] = [asked(), performance.now()];
  await sleep(1_000);
  const perSecond = (1_000 * (asked() - from)) / (performance.now() - began);
  assert.ok(perSecond < 2_500, `${perSecond} commands a second`);
  await bell.close();
});

test("a ring of 64 MiB, and rings by the ten thousand, wake whoever listens and take no memory", { skip }, async () => {
  const server = await RedisServer.start();
  const { bell, heard, lines } = bellAt(server.url);
  await until("it is there", () => bell.fault() === null);
  const key = (name: string): string => `${PREFIX}:${QUEUE}:${name}`;
  const fill = `for n = 1, 10000 do redis.call('hset', KEYS[2], 'name', 'x', 'data', 'null', 'opts', '{}', 'timestamp', '1'); redis.call('lpush', KEYS[1], 'x') end`;
  await server.ask("EVAL", fill, "2", key("wait"), key("x"));
  await server.ask("ZADD", key("marker"), "0", "0");
  await sleep(1_000);
  const many = heard();
  assert.ok(many > 0 && many < 1_000, `${many} in a second`);
  await server.ask("FLUSHALL");
  const before = process.memoryUsage().rss;
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const huge = `redis.call('hset', KEYS[2], 'name', 'x', 'data', string.rep('a', ${64 * MIB}), 'opts', '{}', 'timestamp', '1'); redis.call('lpush', KEYS[1], 'y')`;
  await server.ask("EVAL", huge, "2", key("wait"), key("y"));
  await server.ask("ZADD", key("marker"), "0", "0");
  const since = heard();
  await until("it is heard all the same", () => heard() > since);
  clearInterval(looking);
  assert.ok(most - before < 40 * MIB, `${(most - before) / MIB} MiB`);
  assert.ok(lines.length < 4, lines.join(""));
  await bell.close();
  await server.stop("SIGKILL");
});
