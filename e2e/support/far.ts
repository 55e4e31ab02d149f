// A server on loopback that answers as a test wants it, and remembers what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
export interface Far {
  readonly port: number;
  readonly url: string;
  readonly heard: readonly Heard[];
  /** Answers everything that `/held` holds back, and what comes there until `hold`. */
  release(): void;
  hold(): void;
  close(): Promise<void>;
}

/**
 * `/ok`; `/echo` says in header, body and status text what it was asked; `/redirect?to=`; `/held` answers when it is told to; `/drop` reads
 * the request and ends the connection; `/status?of=`; `/size?of=` bytes.
 */
export async function startFar(): Promise<Far> {
  const heard: Heard[] = [];
  let isHeld = true;
  let waiting: (() => void)[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const url = new URL(request.url ?? "/", "http://far");
    heard.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    switch (url.pathname) {
      case "/echo":
        return echo(request, response, body);
      case "/redirect":
        return void response.writeHead(302, { location: url.searchParams.get("to") ?? "" }).end();
      case "/held":
        if (isHeld) await new Promise<void>((resolve) => void waiting.push(resolve));
        return void response.end('{"held":true}');
      case "/drop":
        return void response.destroy();
      case "/status":
        return void response.writeHead(Number(url.searchParams.get("of"))).end("{}");
      case "/size":
        return void response.end("x".repeat(Number(url.searchParams.get("of"))));
      default:
        return void response.end('{"ok":true}');
    }
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const release = (): void => {
    isHeld = false;
    for (const answer of waiting) answer();
    waiting = [];
  };
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, heard, release },
    hold: () => {
      isHeld = true;
    },
    close: async () => {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** All that came, in every place an answer has: as it came, in base64, in hex and URL-encoded. */
function echo({ url = "", headers }: IncomingMessage, response: ServerResponse, body: string): void {
  const all = JSON.stringify({ url, headers, body });
  const bytes = Buffer.from(all);
  const authorization = String(headers.authorization ?? "");
  response.statusMessage = "Echo";
  for (const [name, value] of Object.entries({
    "x-raw": authorization,
    "x-base64": Buffer.from(authorization).toString("base64"),
    "x-hex": Buffer.from(authorization).toString("hex"),
    "x-latin": Buffer.from(authorization, "latin1").toString("base64"),
    "x-url": encodeURIComponent(authorization),
  }))
    response.setHeader(name, value);
  response.end(JSON.stringify({ all, base64: bytes.toString("base64"), hex: bytes.toString("hex"), url: encodeURIComponent(all) }));
}
