import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Manifest } from "@woml/capability";
import type { BrokerAnswer } from "../broker/answer.ts";
import { type Broker, type BrokerAsk, type BrokerOptions, openBroker } from "../broker/broker.ts";

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE"];
type Network = NonNullable<Manifest["permissions"]["network"]>[number];

/** A manifest of these hosts, for these ports and every method. */
export function manifest(hosts: readonly string[], ports: readonly number[] = [80, 443], id = "http"): BrokerAsk["manifest"] {
  const network = hosts.map((host): Network => ({ host, ports: [...ports], methods: METHODS, reason: "test" }));
  return { id, permissions: { network, secrets: [{ name: "API_KEY", reason: "test" }] } };
}
export function asking(request: unknown, { timeoutMs = 5_000, ...given }: Partial<BrokerAsk> & { timeoutMs?: number } = {}): BrokerAsk {
  return {
    tenant: "t1",
    manifest: manifest(["*"]),
    effect: "unsafe",
    reattach: false,
    idempotency: null,
    request,
    placeholders: new Map(),
    secrets: {},
    signal: new AbortController().signal,
    until: performance.now() + timeoutMs,
    ...given,
  };
}
export function open(t: TestContext, options: BrokerOptions = {}): Broker {
  const broker = openBroker(options);
  t.after(() => broker.close());
  return broker;
}
/** How an answer ended, in a few words. */
export function ended(answer: BrokerAnswer): string {
  if (answer.status === "answered") return `answered ${answer.response.status}`;
  return `${answer.status} ${answer.code}`;
}

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}
/** An HTTP server on loopback that writes down what it was asked before it answers. */
export async function serve(
  t: TestContext,
  answer: (seen: Seen, response: ServerResponse) => void,
): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      answer(one, response);
    });
  });
  t.after(() => server.closeAllConnections());
  return { port: await listening(t, server), seen };
}
/** A server that gets the bare connection. */
export async function serveRaw(t: TestContext, take: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    take(socket);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listening(t, server);
}
export async function listening(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}
