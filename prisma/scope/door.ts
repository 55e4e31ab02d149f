import { asTenantId, type TenantId } from "@woml/run";
import { NOW, type Sessions, type Transaction } from "../client.ts";
import type { DoorScope, DoorSecret, DoorStore } from "../door.ts";

export function doorSecrets(tx: Transaction, tenant: TenantId): Pick<DoorScope, "doorSecrets"> {
  return {
    doorSecrets: async (door, names) => {
      if (names.length === 0) return [];
      // What was sealed of a value that is not the secret's any more opens nothing, from the moment on at which that was said.
      return tx.$queryRaw<DoorSecret[]>`SELECT g.name, g.sealed FROM door_secret g
        JOIN secret s ON s.tenant = g.tenant AND s.name = g.name AND s.updated_at = g.set_at
        WHERE g.tenant = ${tenant}::uuid AND g.door = ${door}::uuid AND g.name = ANY(${[...names]}::text[])`;
    },
  };
}

/** Row-level security asks for no tenant there: a door is nobody's. */
const NOBODY = { "app.door": "" };

export function doors(sessions: Pick<Sessions, "under">, wrote: () => void): DoorStore {
  return {
    tenantNamed: (name) =>
      sessions.under({ "app.door": name }, async (tx) => {
        const row = await tx.tenant.findUnique({ where: { name }, select: { id: true } });
        return row && asTenantId(row.id);
      }),
    isTenant: (id) =>
      sessions.under({ "app.tenant": id }, async (tx) => (await tx.tenant.findUnique({ where: { id }, select: { id: true } })) !== null),
    holdDoor: ({ id, publicKey }, ms) =>
      sessions.under(NOBODY, async (tx) => {
        wrote();
        await tx.$executeRaw`INSERT INTO door (id, public_key, expires_at) VALUES (${id}::uuid, ${publicKey}, ${NOW} + ${ms}::bigint)
          ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`;
        await tx.$executeRaw`DELETE FROM door WHERE expires_at < ${NOW}`;
      }),
    closeDoor: (id) =>
      sessions.under(NOBODY, async (tx) => {
        wrote();
        await tx.$executeRaw`DELETE FROM door WHERE id = ${id}::uuid`;
      }),
  };
}
