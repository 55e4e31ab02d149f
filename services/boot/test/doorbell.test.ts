import { after } from "node:test";
import { redisDoorbell } from "../bell/redis.ts";
import { type Doorbell, memoryDoorbell, openLog } from "../index.ts";
import { RedisServer, skip } from "../testing.ts";
import { doorbellContract } from "./doorbell-contract.ts";

const log = openLog("test", "silent");

doorbellContract("in memory", {
  open: async () => {
    const bell = memoryDoorbell();
    return { bell: () => bell };
  },
});

let server: RedisServer | undefined;
const opened: Doorbell[] = [];
let tests = 0;
after(async () => {
  await Promise.all(opened.map((bell) => bell.close()));
  await server?.stop();
});
doorbellContract("Redis", {
  skip,
  open: async () => {
    server ??= await RedisServer.start();
    const { url } = server;
    const prefix = `{woml-${++tests}}`;
    return {
      bell: () => {
        const bell = redisDoorbell({ url, prefix, log, lost: () => undefined });
        opened.push(bell);
        return bell;
      },
    };
  },
});
