import type { TenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";

type Secrets = Pick<TenantScope, "secrets" | "setSecret" | "removeSecret">;

/** Values come here sealed, and no statement reads them back. */
export function secrets(tx: Transaction, tenant: TenantId, wrote: () => void): Secrets {
  return {
    secrets: async () => {
      const select = { name: true, createdAt: true, updatedAt: true };
      const rows = await tx.secret.findMany({ where: { tenant }, select, orderBy: { name: "asc" } });
      return rows.map(({ name, createdAt, updatedAt }) => ({ name, createdAt: Number(createdAt), updatedAt: Number(updatedAt) }));
    },
    setSecret: async (name, sealed) => {
      wrote();
      await tx.$executeRaw`INSERT INTO secret (tenant, name, sealed, created_at, updated_at)
        VALUES (${tenant}::uuid, ${name}, ${Buffer.from(sealed)}, ${NOW}, ${NOW})
        ON CONFLICT (tenant, name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`;
    },
    removeSecret: async (name) => {
      wrote();
      await tx.$executeRaw`DELETE FROM door_secret WHERE tenant = ${tenant}::uuid AND name = ${name}`;
      return (await tx.$executeRaw`DELETE FROM secret WHERE tenant = ${tenant}::uuid AND name = ${name}`) > 0;
    },
  };
}
