// INVARIANTS
// V1 Whoever holds the public key alone can seal, and can open nothing: not even what it has just sealed.
// V2 What was sealed for one tenant and name opens for no other, and not after a bit of it has changed.
// V3 Two seals of the same text have nothing in common: each is made under a key of its own.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";

/** Both as base64 of DER (SPKI and PKCS #8). */
export interface SealKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}
/** What a sealed text is, and stays, the secret of. */
export interface Sealing {
  readonly tenant: string;
  readonly name: string;
}

/** The same secret, sealed for one door (a process of control): no name of a secret has a colon. */
export const doorSealing = ({ tenant, name }: Sealing, door: string): Sealing => ({ tenant, name: `door:${door}:${name}` });

const VERSION = 1;
/** A public X25519 key in DER (RFC 8410) is this and the bytes of its point. */
const DER_HEAD: Buffer = Buffer.from("302a300506032b656e032100", "hex");
const POINT_BYTES = 32;
const HEAD_BYTES: number = 1 + POINT_BYTES;
const TAG_BYTES = 16;
const [KEY_BYTES, NONCE_BYTES] = [32, 12];
const CIPHER = "aes-256-gcm";

export function makeSealKeys(): SealKeys {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return { publicKey: spki(publicKey).toString("base64"), privateKey: pkcs8(privateKey).toString("base64") };
}

/** The public half of a private key. Throws for what is no such key. */
export function publicOf(privateKey: string): string {
  return spki(createPublicKey(readPrivate(privateKey))).toString("base64");
}

/** `[version, ephemeral point, ciphertext, tag]`: X25519 with a key made for this text alone, HKDF-SHA256, AES-256-GCM. */
export function seal(publicKey: string, of: Sealing, text: string): Uint8Array {
  const recipient = readPublic(publicKey);
  const ephemeral = generateKeyPairSync("x25519");
  const point = pointOf(ephemeral.publicKey);
  const { key, nonce } = derive(diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient }), point, pointOf(recipient));
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(of));
  return Buffer.concat([Buffer.of(VERSION), point, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** Throws where it was sealed for another tenant, name or key, or is not what was sealed. */
export function unseal(privateKey: string, of: Sealing, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw new Error("this is no sealed secret of a version that is known");
  const recipient = readPrivate(privateKey);
  const point = bytes.subarray(1, HEAD_BYTES);
  const shared = diffieHellman({ privateKey: recipient, publicKey: publicFrom(point) });
  const { key, nonce } = derive(shared, point, pointOf(createPublicKey(recipient)));
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(of));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
}

/** Both points take part, so that a shared secret serves one pair only. A key is used once: its nonce may come with it. */
function derive(shared: Buffer, ephemeral: Buffer, recipient: Buffer): { readonly key: Buffer; readonly nonce: Buffer } {
  const salt = Buffer.concat([ephemeral, recipient]);
  const made = Buffer.from(hkdfSync("sha256", shared, salt, `woml secret v${VERSION}`, KEY_BYTES + NONCE_BYTES));
  return { key: made.subarray(0, KEY_BYTES), nonce: made.subarray(KEY_BYTES) };
}

/** As JSON, so that no tenant and name read like others. */
function boundTo({ tenant, name }: Sealing): Buffer {
  return Buffer.from(JSON.stringify([VERSION, tenant, name]));
}

const spki = (key: KeyObject): Buffer => key.export({ format: "der", type: "spki" });
const pkcs8 = (key: KeyObject): Buffer => key.export({ format: "der", type: "pkcs8" });
const pointOf = (key: KeyObject): Buffer => spki(key).subarray(-POINT_BYTES);
const publicFrom = (point: Buffer): KeyObject => createPublicKey({ key: Buffer.concat([DER_HEAD, point]), format: "der", type: "spki" });

function readPublic(text: string): KeyObject {
  return ofX25519(createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" }));
}

function readPrivate(text: string): KeyObject {
  return ofX25519(createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" }));
}

function ofX25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== "x25519") throw new Error("secrets are sealed with X25519 keys");
  return key;
}
