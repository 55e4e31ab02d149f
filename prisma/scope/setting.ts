import type { TenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";

type Settings = Pick<TenantScope, "now" | "onAmbiguous" | "setOnAmbiguous">;

export function settings(tx: Transaction, tenant: TenantId, wrote: () => void): Settings {
  return {
    now: async () => Number((await tx.$queryRaw<{ now: bigint }[]>`SELECT ${NOW} AS now`)[0]?.now),
    onAmbiguous: async () => {
      const row = await tx.tenant.findUnique({ where: { id: tenant }, select: { onAmbiguous: true } });
      return row?.onAmbiguous === "fail" ? "fail" : null;
    },
    setOnAmbiguous: async (value) => {
      wrote();
      await tx.$executeRaw`UPDATE tenant SET on_ambiguous = ${value} WHERE id = ${tenant}::uuid`;
    },
  };
}
