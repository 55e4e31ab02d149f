// What whoever installs a platform makes before it runs; nothing of it is kept or logged here.
import { makeSealKeys, readSettings, type Sources } from "@woml/boot";
import { createAdminKey, mintKey } from "@woml/control";
import { openControlStore, unavailable } from "@woml/prisma";
import { Refusal } from "./refusal.ts";

/** An administrator's key that no platform knows yet. */
export function freshKey(): string {
  return mintKey().text;
}

/** By the names of the settings that take them. */
export function freshSealKeys(): { readonly WOML_SEAL_PUBLIC_KEY: string; readonly WOML_SEAL_PRIVATE_KEY: string } {
  const { publicKey, privateKey } = makeSealKeys();
  return { WOML_SEAL_PUBLIC_KEY: publicKey, WOML_SEAL_PRIVATE_KEY: privateKey };
}

/** Stores a new administrator's key where control's settings say that its database is, and answers its text. Rejects with a coded error. */
export async function createAdmin(sources: Pick<Sources, "env" | "readFile">): Promise<string> {
  // Seals nothing here, and is the one other setting that control cannot be without.
  const env = { ...sources.env, WOML_SEAL_PUBLIC_KEY: makeSealKeys().publicKey };
  const { WOML_DATABASE_URL: url, WOML_DATABASE_SET_ROLE: setRole } = readSettings("control", { ...sources, env });
  try {
    const store = await openControlStore(url, { setRole });
    try {
      const pending = await store.pendingMigrations();
      if (pending.length > 0)
        throw new Refusal("WOML_DATABASE_UNAVAILABLE", `The database lacks ${pending.join(", ")}: run \`woml migrate\` first.`);
      return await createAdminKey(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw error instanceof Refusal ? error : unavailable(error);
  }
}
