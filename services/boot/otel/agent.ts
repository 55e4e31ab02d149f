import { Agent as PlainAgent } from "node:http";
import { Agent as TlsAgent } from "node:https";

/** What a collector answers is a few bytes; a connection is made anew after this much, or this long: one whose answer never ends keeps nobody's place. */
const MOST_BYTES = 1_024 * 1_024;
const LIFE_MS = 30_000;

/** Connections to a collector, kept open between requests, and none of them worth more than this to whoever answers on it. */
export function openAgent(url: string, lifeMs: number = LIFE_MS): PlainAgent {
  const agent = url.startsWith("https:") ? new TlsAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, told) => {
    const stream = connect(options, told);
    let bytes = 0;
    const life = setTimeout(() => stream?.destroy(), lifeMs).unref();
    stream?.prependListener("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) stream.destroy();
    });
    stream?.once("close", () => clearTimeout(life));
    return stream;
  };
  return agent;
}
