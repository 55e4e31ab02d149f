// Lines between machines: TLS 1.2 with a key that both sides hold, and nothing else. The suite is forward secret (ECDHE), and a handshake
// proves either side to the other; a certificate would have to be made, spread and renewed, and proves no more here.
import { constants, hash } from "node:crypto";
import { connect as connectPlain } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import { isFar, type Place } from "./place.ts";

const IDENTITY_DIGITS = 16;
interface Terms {
  readonly ciphers: string;
  readonly minVersion: "TLSv1.2";
  readonly maxVersion: "TLSv1.2";
  readonly secureOptions: number;
}
/** Without tickets: a session that is taken up again would outlive the secret that it began under. */
export const TERMS: Terms = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
};

/** What a secret is on the wire: a name for it that tells nothing of it, and the key. */
interface Key {
  readonly identity: string;
  readonly psk: Buffer;
}
export function keyOf(secret: string): Key {
  return {
    identity: `woml:${hash("sha256", `woml line id ${secret}`).slice(0, IDENTITY_DIGITS)}`,
    psk: hash("sha256", `woml line v1 ${secret}`, "buffer"),
  };
}

/** A stream to a place; what is written before it stands is sent when it does. Its errors are `error` events, as any stream's. */
export function dial(place: Place): Duplex {
  if (!isFar(place)) return connectPlain(place.socket);
  const { host, port, secrets } = place;
  const [first] = secrets;
  if (first === undefined) throw new Error("A line to another machine needs a secret.");
  const key = keyOf(first);
  const stream = connectSecurely({ host, port, ...TERMS, pskCallback: () => key, checkServerIdentity: () => undefined });
  return stream.setNoDelay(true);
}
