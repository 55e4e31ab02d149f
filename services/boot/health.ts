import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "./config/place.ts";

/** What a process says of itself to whoever watches it; without a key, so nothing more than this. */
export interface HealthOptions {
  readonly listen: Address;
  /** Why it cannot do its work at the moment, in one sentence; null when it can. */
  readonly fault: () => Promise<string | null> | string | null;
  /** Told each time that what `fault` says has changed; looked at with each probe, and every five seconds without one. */
  readonly turned?: (reason: string | null) => void;
  /** The text of `/metrics`. */
  readonly exposition: () => Promise<string>;
}
export interface Health {
  /** `http://HOST:PORT`, with the port that was taken. */
  readonly url: string;
  close(): Promise<void>;
}
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const PATIENCE_MS = 2_000;
const LOOK_MS = 5_000;
/** One more, and the oldest is cut off: whoever holds many open must not keep the cluster's own look out, which would end the process for it. */
const CONNECTIONS = 256;
const REQUEST_MS = 5_000;
/** So old may what `/metrics` says be: collecting it is work, and anybody may ask. */
const FRESH_MS = 250;
const JSON_TYPE = "application/json; charset=utf-8";
/** Prometheus text exposition format. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** `/health/live`: the process answers. `/health/ready`: it can do its work; if not, 503 and the reason. `/metrics`. Rejects where it cannot listen. */
export async function serveHealth(options: HealthOptions): Promise<Health> {
  const watched = { ...options, fault: watch(options), exposition: seldom(options.exposition) };
  const limits = { requestTimeout: REQUEST_MS, connectionsCheckingInterval: REQUEST_MS / 5 };
  const server = createServer(limits, (request, response) => void reply(watched, request, response));
  keepFew(server);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host: options.listen.host, port: options.listen.port }, resolve);
  await promise;
  const bound = server.address();
  const looking = setInterval(() => void watched.fault(), LOOK_MS).unref();
  return {
    url: urlOf({ host: options.listen.host, port: typeof bound === "object" && bound ? bound.port : options.listen.port }),
    close: async () => {
      clearInterval(looking);
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function keepFew(server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const [oldest] = open;
    if (open.size > CONNECTIONS) oldest?.destroy();
  });
}

function seldom(collect: () => Promise<string>): () => Promise<string> {
  let collected: Promise<string> | null = null;
  let at = 0;
  return () => {
    if (collected === null || performance.now() - at > FRESH_MS) {
      at = performance.now();
      collected = collect();
    }
    return collected;
  };
}

export function urlOf({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function reply(options: HealthOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type, text } = await answer(options, request).catch(() => plain(500, "it cannot say"));
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text), "cache-control": "no-store" });
  response.end(request.method === "HEAD" ? undefined : text);
}

async function answer({ fault, exposition }: HealthOptions, { method, url = "" }: IncomingMessage): Promise<Answer> {
  if (method !== "GET" && method !== "HEAD") return plain(405, "this is read with GET");
  switch (url.split("?")[0]) {
    case "/health/live":
      return json(200, { live: true });
    case "/health/ready": {
      const reason = await fault();
      return reason === null ? json(200, { ready: true }) : json(503, { ready: false, reason });
    }
    case "/metrics":
      return { status: 200, type: METRICS_TYPE, text: await exposition() };
    default:
      return plain(404, "there are /health/live, /health/ready and /metrics");
  }
}

function watch({ fault, turned }: HealthOptions): () => Promise<string | null> {
  let last: string | null | undefined;
  return async () => {
    const reason = await inTime(fault);
    if (reason !== last) turned?.(reason);
    last = reason;
    return reason;
  };
}

async function inTime(fault: HealthOptions["fault"]): Promise<string | null> {
  const late = new AbortController();
  const asked = Promise.resolve()
    .then(fault)
    .catch(() => "it cannot say how it is");
  try {
    return await Promise.race([asked, sleep(PATIENCE_MS, "it does not say in time how it is", { signal: late.signal, ref: false })]);
  } finally {
    late.abort();
  }
}

function json(status: number, body: object): Answer {
  return { status, type: JSON_TYPE, text: JSON.stringify(body) };
}

function plain(status: number, text: string): Answer {
  return { status, type: "text/plain; charset=utf-8", text: `${text}\n` };
}
