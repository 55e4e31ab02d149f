// A key is `woml_<8-char id>_<43-char secret>_<8-char checksum>`. The id finds the row, the secret (256 bits) proves, the checksum tells a
// mistyped key from a wrong one without asking the database. Only the id and the SHA-256 of the whole text are stored.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

const FORM = /^(woml_([a-z2-7]{8})_[A-Za-z0-9_-]{43})_([0-9a-f]{8})$/;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

export interface MintedKey {
  /** The whole key; it is not kept anywhere. */
  readonly text: string;
  readonly id: string;
  /** SHA-256 of the whole text. */
  readonly digest: Uint8Array;
}

export function mintKey(): MintedKey {
  const id = Array.from(randomBytes(8), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  const start = `woml_${id}_${randomBytes(32).toString("base64url")}`;
  const text = `${start}_${checksum(start)}`;
  return { text, id, digest: digestOf(text) };
}

/** The id in a key that is well formed, else null. Says nothing yet of whether it is right. */
export function keyId(text: string): string | null {
  const [, start = "", id = "", sum] = FORM.exec(text) ?? [];
  return sum !== undefined && sum === checksum(start) ? id : null;
}

/** Well formed; whether it opens anything is another question. */
export function isKey(text: string): boolean {
  return keyId(text) !== null;
}

/** In constant time. */
export function proves(text: string, digest: Uint8Array): boolean {
  const given = digestOf(text);
  return given.length === digest.length && timingSafeEqual(given, digest);
}

/** What is stored of a key. */
export function digestOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
