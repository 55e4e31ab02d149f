// How the first administrator comes in: with a key that an operator made and hands to every control, or one that is written straight into the
// database. No text of a key is kept or logged.
import type { ControlStore } from "@woml/prisma";
import { PLATFORM } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ControlRefusal } from "./errors.ts";
import { digestOf, keyId, mintKey } from "./keys.ts";

const ACTOR = "platform";
type Store = Pick<ControlStore, "asAdmin">;
type Added = "made" | "same" | "revoked" | "taken";

/**
 * Makes sure that this key administers the platform; many at once and again it changes nothing. A key that an administrator revoked stays so:
 * `revoked`. Rejects with WOML_ADMIN_KEY_INVALID for a text that is no key.
 */
export async function ensureAdminKey(store: Store, text: string): Promise<Exclude<Added, "taken">> {
  const id = keyId(text);
  if (id === null) throw invalid("is not a key of this platform");
  const added = await add(store, { id, digest: digestOf(text) });
  if (added === "taken") throw invalid("has the id of another key");
  return added;
}

/** A new administrator's key; its text is answered here alone. */
export async function createAdminKey(store: Store): Promise<string> {
  const { text, id, digest } = mintKey();
  if ((await add(store, { id, digest })) !== "made") throw new Error("a key of this id stands already");
  return text;
}

function add(store: Store, key: { readonly id: string; readonly digest: Uint8Array }): Promise<Added> {
  return store.asAdmin(async (scope) => {
    const added = await scope.addKey({ tenant: PLATFORM, ...key, scopes: ["admin"] });
    if (added === "made") await scope.record(PLATFORM, entryOf(ACTOR, "key.create", key.id, { scopes: ["admin"] }));
    return added;
  });
}

function invalid(what: string): ControlRefusal {
  return new ControlRefusal("WOML_ADMIN_KEY_INVALID", `The administrator's key ${what}: \`woml admin key\` makes one.`);
}
