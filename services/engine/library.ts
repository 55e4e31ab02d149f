import type { TenantId } from "@woml/run";
import type { Invocation } from "@woml/sandbox";
import { MODULES_MAX, MODULES_TEXT } from "./bounds.ts";
import type { World } from "./engine.ts";

export interface Import {
  readonly alias: string;
  readonly digest: string;
}
export type Modules = NonNullable<Invocation["modules"]>;
/** Modules as they are stored, read when a script needs them and kept for the next ones. */
export interface Library {
  /**
   * With their texts. Rejects with ModuleFault where what is stored is not what was published: no script may run with it, now or later. Rejects
   * otherwise when the store does.
   */
  modules(tenant: TenantId, imports: readonly Import[]): Promise<Modules>;
}
/** A module that is not stored, or whose stored text is not the one that its digest names. */
export class ModuleFault extends Error {}

type Source = Pick<World, "digest"> & { readonly store: Pick<World["store"], "modules"> };

/** A text is believed once it has been hashed here: whoever asks for the same at the same time waits for the same. */
export function openLibrary(world: Source): Library {
  const kept = new Map<string, string>();
  const coming = new Map<string, Promise<string>>();
  let length = 0;

  const keep = (key: string, text: string): void => {
    kept.set(key, text);
    length += text.length;
    for (const [oldest, old] of kept) {
      if (kept.size <= MODULES_MAX && length <= MODULES_TEXT) return;
      kept.delete(oldest);
      length -= old.length;
    }
  };
  const ask = (tenant: TenantId, digests: readonly string[]): void => {
    const stored = world.store.modules(tenant, digests);
    for (const digest of digests) {
      const key = `${tenant} ${digest}`;
      const text = stored.then((texts) => {
        const verified = whole(world, digest, texts.get(digest));
        keep(key, verified);
        return verified;
      });
      coming.set(key, text);
      const over = (): void => void coming.delete(key);
      text.then(over, over);
    }
  };
  return {
    modules: async (tenant, imports) => {
      const isAbsent = (digest: string): boolean => !kept.has(`${tenant} ${digest}`) && !coming.has(`${tenant} ${digest}`);
      const absent = [...new Set(imports.map(({ digest }) => digest))].filter(isAbsent);
      if (absent.length > 0) ask(tenant, absent);
      const texts = imports.map(({ digest }) => {
        const key = `${tenant} ${digest}`;
        const text = kept.get(key);
        return text === undefined ? coming.get(key) : used(kept, key, text);
      });
      const all = await Promise.all(texts);
      return imports.map(({ alias, digest }, at) => ({ alias, digest, text: all[at] ?? "" }));
    },
  };
}

/** What was used last goes last. */
function used(kept: Map<string, string>, key: string, text: string): string {
  kept.delete(key);
  kept.set(key, text);
  return text;
}

function whole({ digest: hash }: Source, digest: string, text: string | undefined): string {
  if (text === undefined) throw new ModuleFault(`the module ${digest} is not stored`);
  if (hash(text) !== digest) throw new ModuleFault(`the stored module is not the one that ${digest} names`);
  return text;
}
