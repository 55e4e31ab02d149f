import { createHmac } from "node:crypto";

export interface Making {
  readonly algorithm: "sha1" | "sha256" | "sha384" | "sha512";
  readonly encoding: "hex" | "base64" | "base64url";
}

/** Of parts that are signed one after another, bytes as they came. */
export function hmac({ algorithm, encoding }: Making, key: string | Uint8Array, parts: readonly (string | Uint8Array)[]): string {
  const made = createHmac(algorithm, key);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
}
