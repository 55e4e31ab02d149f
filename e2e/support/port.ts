import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below what systems take for connections of their own, so that it is still free when its process is started again. */
const [LEAST, MOST] = [20_000, 32_000];
const TRIES = 50;

/** A port of loopback that nobody has at this moment. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LEAST, MOST);
    const server = createServer();
    const taken = once(server, "error").then(() => true);
    const listening = once(server.listen(port, host), "listening").then(() => false);
    for (const one of [taken, listening]) one.catch(() => undefined);
    if (await Promise.race([taken, listening])) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error("no port is free");
}
