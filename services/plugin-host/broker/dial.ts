import { lookup, Resolver } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, getCACertificates } from "node:tls";
import { isPublic } from "./address.ts";
import { Loss } from "./answer.ts";
import { forbidden, type Place } from "./permit.ts";

export type Resolve = (host: string) => Promise<readonly string[]>;
export type Dial = (address: string, port: number) => Socket;
export interface Dialling {
  readonly resolve: Resolve;
  /** For names that an operator allows: they may stand in the hosts file or in a search domain. */
  readonly resolveTrusted: Resolve;
  readonly dial: Dial;
  /** Besides the usual ones. */
  readonly authorities: readonly string[];
}
/** Nothing of a request has been written on it. */
export interface Connected {
  readonly socket: Socket;
  /** Ends it, and what was written and is still on this machine does not leave any more. */
  takeBack(): void;
}
const ADDRESSES = 4;
const CONNECT_MS = 10_000;
const LOOKUP = { timeout: 2_000, tries: 2 };

/**
 * 1. A name of which any address is not public is refused as a whole: an answer with one good and one bad address is an attempt.
 * 2. The connection goes to an address that was looked at, not to the name again; and before a byte is written, the socket's other end is
 *    looked at once more.
 */
export async function connect(place: Place, dialling: Dialling, signal: AbortSignal): Promise<Connected> {
  const addresses = place.address === null ? await lookedUp(place, dialling, signal) : [place.address];
  let socket: Socket | null = null;
  let reason = "";
  for (const address of addresses.slice(0, ADDRESSES)) {
    const tried = await opened(dialling.dial(address, place.port), "connect", signal);
    if (typeof tried !== "string") {
      socket = tried;
      break;
    }
    reason = tried;
  }
  if (socket === null) throw new Loss("WOML_EGRESS_CONNECT_FAILED", `No connection to ${place.host}:${place.port}: ${reason}.`);
  if (!place.trusted && !isPublic(socket.remoteAddress ?? "")) {
    socket.destroy();
    throw forbidden(place.host, "is not on the open network: the connection ended at another address");
  }
  const base = socket;
  const used = place.url.protocol === "https:" ? await secured(base, place, dialling, signal) : base;
  return { socket: used, takeBack: () => reset(base, used) };
}

/** An orderly end would leave the rest to the system, which goes on trying to deliver it for minutes. */
function reset(base: Socket, used: Socket): void {
  // Only TCP knows it; the socket of a test may be another.
  if (base.remotePort !== undefined) base.resetAndDestroy();
  used.destroy();
}

async function lookedUp(place: Place, dialling: Dialling, signal: AbortSignal): Promise<readonly string[]> {
  const asked = place.trusted ? dialling.resolveTrusted(place.host) : dialling.resolve(place.host);
  const found = await abortable(asked, signal).catch((error: unknown) => {
    throw error instanceof Loss ? error : new Loss("WOML_EGRESS_DNS_FAILED", `${place.host} was not found: ${codeOf(error)}.`);
  });
  if (found.length === 0) throw new Loss("WOML_EGRESS_DNS_FAILED", `${place.host} has no address.`);
  if (!place.trusted && !found.every(isPublic)) throw forbidden(place.host, "is not on the open network");
  return found;
}

async function secured(socket: Socket, place: Place, dialling: Dialling, signal: AbortSignal): Promise<Socket> {
  const authorities = dialling.authorities.length === 0 ? {} : { ca: [...getCACertificates("default"), ...dialling.authorities] };
  const name = place.address === null ? { servername: place.host } : {};
  const secure = connectTls({ socket, host: place.address ?? place.host, ALPNProtocols: ["http/1.1"], ...name, ...authorities });
  const tried = await opened(secure, "secureConnect", signal);
  if (typeof tried !== "string") return tried;
  socket.destroy();
  throw new Loss("WOML_EGRESS_TLS_FAILED", `No secure connection to ${place.host}:${place.port}: ${tried}.`);
}

/** The socket once it is open, or why it did not open. */
function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket | string> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | string>();
  const fail = (reason: string): void => {
    socket.destroy();
    resolve(reason);
  };
  const onAbort = (): void => {
    socket.destroy();
    reject(signal.reason);
  };
  const timer = setTimeout(fail, CONNECT_MS, "timed out");
  // The listener stays: an error of a socket that nobody listens to ends the process.
  socket.on("error", (error) => fail(codeOf(error)));
  socket.once("close", () => fail("closed"));
  socket.once(event, () => resolve(socket));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}

/** For strangers' names. Asks the name servers only: no hosts file, no search list, and no thread that a slow name could hold. */
export async function resolvePublic(host: string): Promise<readonly string[]> {
  const resolver = new Resolver(LOOKUP);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [first] = answers;
  if (found.length === 0 && first.status === "rejected") throw first.reason;
  return found;
}

export const resolveTrusted: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export const dialTcp: Dial = (address, port) => connectTcp({ host: address, port, family: isIP(address), noDelay: true });

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "it failed";
}
