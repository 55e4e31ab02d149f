import type { TenantId } from "@woml/run";
import type { Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";

export function settings(tx: Transaction, tenant: TenantId, wrote: () => void): Pick<TenantScope, "onAmbiguous" | "setOnAmbiguous"> {
  return {
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
