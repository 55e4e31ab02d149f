import { existsSync } from "node:fs";
import { makeSealKeys, publicOf, type SealKeys } from "@woml/boot";
import { type Folder, readPrivate, writePrivate } from "./folder.ts";
import { Refusal } from "./refusal.ts";

/**
 * The pair of keys under which this platform's secrets are sealed: made once, and kept. Without it the stored secrets open for nobody, so a
 * file that cannot be read is never replaced.
 */
export function ensureSealKeys(folder: Folder): SealKeys {
  if (!existsSync(folder.seal)) {
    const made = makeSealKeys();
    writePrivate(folder.seal, made);
    return made;
  }
  const found = readPrivate(folder.seal);
  if (isPair(found)) return found;
  throw new Refusal(
    "WOML_SEAL_UNREADABLE",
    `${folder.seal} does not hold the pair of keys under which secrets are sealed. Restore it; removed, all secrets have to be set again.`,
  );
}

function isPair(value: unknown): value is SealKeys {
  if (typeof value !== "object" || value === null || !("publicKey" in value) || !("privateKey" in value)) return false;
  const { publicKey, privateKey } = value;
  try {
    return typeof privateKey === "string" && publicOf(privateKey) === publicKey;
  } catch {
    return false;
  }
}
