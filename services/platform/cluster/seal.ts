import { unseal } from "@woml/boot";
import type { EngineStore } from "@woml/prisma";

/** Why the private key is not the one that this database's secrets are sealed for, or null. Opens one secret, and keeps nothing of it. */
export async function sealFault(store: Pick<EngineStore, "anySecret">, privateKey: string): Promise<string | null> {
  const stored = await store.anySecret();
  if (stored === null) return null;
  try {
    unseal(privateKey, stored, stored.sealed);
    return null;
  } catch {
    return "WOML_SEAL_PRIVATE_KEY does not open what is stored: secrets were sealed with another key";
  }
}
