import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, Books, refusal } from "./books.ts";
import { type Fault, Faults, readFault } from "./fault.ts";
import { type Entry, Ledger } from "./ledger.ts";
import { faulty, send } from "./reply.ts";
import { type Asked, route } from "./route.ts";

const DAY_MS = 86_400_000;
const MAX_BODY_CHARACTERS = 65_536;

export interface PaymentsOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Path of the ledger file; it is read at the start and appended to. */
  readonly ledger: string;
  /** How long an Idempotency-Key de-duplicates; a day. */
  readonly keyWindowMs?: number;
  /** What `authorization: Bearer …` must say; absent: anything. */
  readonly apiKey?: string;
}
export interface Payments {
  readonly port: number;
  readonly url: string;
  /** Every effect, in order: as many lines as the ledger file has. */
  readonly effects: () => readonly Entry[];
  readonly inject: (fault: Fault) => void;
  readonly clearFaults: () => void;
  readonly forgetKeys: () => void;
  readonly close: () => Promise<void>;
}
interface Provider {
  readonly ledger: Ledger;
  readonly books: Books;
  readonly faults: Faults;
  readonly apiKey: string | null;
}

/** A payment provider in miniature, on loopback. Rejects when the port is taken. */
export async function startPayments({ port, ledger: path, keyWindowMs = DAY_MS, apiKey }: PaymentsOptions): Promise<Payments> {
  const ledger = new Ledger(path);
  const provider = { ledger, books: new Books(ledger, keyWindowMs), faults: new Faults(), apiKey: apiKey ?? null };
  const server = createServer((request, response) => {
    serve(provider, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    effects: () => [...ledger.entries],
    inject: (fault) => provider.faults.add(fault),
    clearFaults: () => provider.faults.clear(),
    forgetKeys: () => provider.books.forgetKeys(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve(ledger.close()));
        server.closeAllConnections();
      }),
  };
}

async function serve(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = await read(request);
  if (asked === null) return send(response, refusal(400, "bad_request"));
  const control = controlled(provider, asked);
  if (control) return send(response, control);
  if (provider.apiKey !== null && request.headers.authorization !== `Bearer ${provider.apiKey}`) {
    return send(response, refusal(401, "unauthorized"));
  }
  const found = route(provider.books, asked);
  if (!found) return send(response, refusal(404, "no_such_endpoint"));
  const fault = provider.faults.take(found.target);
  if (fault) await faulty(fault, found.act, response);
  else send(response, found.act());
}

/** For tests and demonstrations; no provider has these. */
function controlled({ ledger, books, faults }: Provider, { method, url, body }: Asked): Answer | null {
  const done = { status: 200, body: {} };
  switch (`${method} ${url.pathname}`) {
    case "GET /ledger":
      return { status: 200, body: { effects: ledger.entries.length, entries: ledger.entries } };
    case "POST /faults": {
      const fault = readFault(body);
      if (fault) faults.add(fault);
      return fault ? done : refusal(400, "no_such_fault");
    }
    case "DELETE /faults":
      faults.clear();
      return done;
    case "POST /forget-keys":
      books.forgetKeys();
      return done;
    default:
      return null;
  }
}

async function read(request: IncomingMessage): Promise<Asked | null> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) {
    text += piece;
    if (text.length > MAX_BODY_CHARACTERS) return null;
  }
  const url = URL.parse(request.url ?? "", "http://127.0.0.1");
  const key = request.headers["idempotency-key"];
  const body = text === "" ? {} : parsed(text);
  if (!url || !body) return null;
  return { method: request.method ?? "", url, key: typeof key === "string" ? key : null, body };
}

function parsed(text: string): Asked["body"] | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
