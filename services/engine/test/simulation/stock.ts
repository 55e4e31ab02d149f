import type { MemoryStore } from "@woml/prisma/memory";
import type { TenantId } from "@woml/run";
import type { Plot } from "./plot.ts";
import { MODULES } from "./wares.ts";

type Store = Pick<MemoryStore, "publish" | "vault">;

/** What control has stored for each tenant: definitions, and the modules that they import. */
export function stock(store: Store, tenants: readonly TenantId[], plots: readonly Plot[]): void {
  for (const tenant of tenants) {
    for (const [digest, text] of MODULES) store.vault.setModule({ tenant, digest }, text);
    for (const { version, text } of plots) store.publish({ tenant, version, text, sourceMap: null });
  }
}

/** Somebody changes a definition where it is stored. */
export function changeDefinition(store: Store, tenants: readonly TenantId[], { version, text }: Plot): void {
  for (const tenant of tenants) store.publish({ tenant, version, text: `${text} `, sourceMap: null });
}

/** Or all modules but those that children import: whoever waits for a run that is held would wait on. */
export function changeModules({ vault }: Store, tenants: readonly TenantId[], { graph }: Plot): void {
  const spared = new Set(graph.definition.modules?.map(({ digest }) => digest));
  for (const tenant of tenants) for (const digest of MODULES.keys()) if (!spared.has(digest)) vault.setModule({ tenant, digest }, "");
}
