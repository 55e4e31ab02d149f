import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createSecureServer } from "node:tls";
import { type FarPlace, isFar, nameOf, type Place } from "./place.ts";
import { keyOf, TERMS } from "./secure.ts";

/** Who has not proved itself by then is cut off. */
const HANDSHAKE_MS = 5_000;
/** Connections that have not proved themselves yet; one more, and the oldest is cut off: an honest one is done in a moment. */
const UNPROVEN = 64;
const CONNECTIONS = 1_024;
const SAY_EVERY_MS = 1_000;

export interface ListenEvents {
  /** A connection that may speak; between machines, one that holds a secret. */
  readonly took: (stream: Duplex) => void;
  /** So many were turned away since the last time; told at most once a second. `why` is a code, and says nothing of who it was. */
  readonly refused: (count: number, why: string) => void;
}
export interface Listening {
  /** Where it is found: the socket's path, or `HOST:PORT` with the port that was taken where 0 was asked for. */
  readonly at: string;
  /** Takes no new connection. Those that stand go on. */
  close(): void;
}

/** Rejects when the place is taken or is none of this machine's. A Unix socket may only be opened by its own user, and replaces what stands there. */
export function listenAt(place: Place, events: ListenEvents): Promise<Listening> {
  return isFar(place) ? listenFar(place, events) : listenNear(place.socket, events);
}

async function listenNear(socket: string, { took }: ListenEvents): Promise<Listening> {
  rmSync(socket, { force: true });
  const server = createServer(took);
  await listening(server, { path: socket });
  chmodSync(socket, 0o600);
  const close = (): void => {
    server.close();
    rmSync(socket, { force: true });
  };
  return { at: socket, close };
}

async function listenFar({ host, port, secrets }: FarPlace, { took, refused }: ListenEvents): Promise<Listening> {
  if (secrets.length === 0) throw new Error("Whoever is listened to on the network has to hold a secret, and none is set.");
  const keys = new Map(secrets.map(keyOf).map(({ identity, psk }) => [identity, psk]));
  const pskCallback = (_: unknown, identity: string): Buffer | null => keys.get(identity) ?? null;
  const server = createSecureServer({ ...TERMS, handshakeTimeout: HANDSHAKE_MS, pskCallback });
  const unproven = new Map<string, Socket>();
  const refuse = seldom(refused);
  server.maxConnections = CONNECTIONS;
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    unproven.set(peer, socket);
    socket.once("close", () => unproven.delete(peer)).on("error", () => undefined);
    const [oldest] = unproven.values();
    if (unproven.size > UNPROVEN) oldest?.destroy();
  });
  server.on("secureConnection", (stream) => {
    unproven.delete(peerOf(stream));
    took(stream.setNoDelay(true));
  });
  server.on("tlsClientError", (error, stream) => {
    stream.destroy();
    refuse("code" in error ? String(error.code) : error.name);
  });
  await listening(server, { host, port });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return { at: nameOf({ host, port: bound }), close: () => void server.close() };
}

const peerOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;

async function listening(server: Server, at: { readonly path: string } | { readonly host: string; readonly port: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(at, resolve);
  await promise;
  // One that cannot be accepted (no file descriptor left) is no end of the others.
  server.removeListener("error", reject).on("error", () => undefined);
}

/** A stranger who knocks all day must not fill a disk with what is said of it. */
function seldom(say: ListenEvents["refused"]): (why: string) => void {
  let count = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  return (why) => {
    count += 1;
    if (performance.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = performance.now();
    say(count, why);
    count = 0;
  };
}
