import { accept, type Graph, graph, type Json } from "@woml/model";
import type { TenantId } from "@woml/run";
import { DEFINITIONS_MAX, DEFINITIONS_TEXT } from "./bounds.ts";
import type { World } from "./engine.ts";
import { type Place, placesOf } from "./places.ts";

export interface Wanted {
  readonly tenant: TenantId;
  readonly version: string;
}
/** A definition that this engine has accepted itself, with where its scripts stand in the author's file. */
export interface Prepared {
  readonly graph: Graph;
  place(node: string): Place;
  /** Digest of a step's script, counted once. */
  digest(node: string, source: string): string;
}
/** Why a version may not run: its stored bytes are not what the hash names, or not a definition that this engine accepts. */
export interface Refused {
  readonly refused: string;
}
export interface Definitions {
  /** One query for all; answers in the order asked. Rejects only when the store does. */
  load(wanted: readonly Wanted[]): Promise<readonly (Prepared | Refused)[]>;
}

interface Kept {
  readonly text: string;
  readonly prepared: Prepared;
}

/** Stored bytes are read each time and compared with those accepted before: what changed in between is hashed and judged again. */
export function definitions(world: Pick<World, "store" | "digest">): Definitions {
  const kept = new Map<string, Kept>();
  let size = 0;

  const keep = (key: string, entry: Kept): void => {
    forget(key);
    kept.set(key, entry);
    size += entry.text.length;
    for (const oldest of kept.keys()) {
      if (kept.size <= DEFINITIONS_MAX && size <= DEFINITIONS_TEXT) return;
      if (oldest !== key) forget(oldest);
    }
  };
  const forget = (key: string): void => {
    size -= kept.get(key)?.text.length ?? 0;
    kept.delete(key);
  };
  const judge = (wanted: Wanted, text: string, sourceMap: Json): Prepared | Refused => {
    const key = `${wanted.tenant} ${wanted.version}`;
    const before = kept.get(key);
    const prepared = before?.text === text ? before.prepared : prepare(world, wanted.version, { text, sourceMap });
    if ("refused" in prepared) forget(key);
    else keep(key, { text, prepared });
    return prepared;
  };
  return {
    load: async (wanted) => {
      const places = new Map(wanted.map((one) => [`${one.tenant} ${one.version}`, one]));
      const asked = [...places.values()];
      const stored = await world.store.definitions(asked);
      const answers = new Map<string, Prepared | Refused>();
      asked.forEach((one, index) => {
        const row = stored[index];
        answers.set(`${one.tenant} ${one.version}`, row ? judge(one, row.text, row.sourceMap) : { refused: "the version is not stored" });
      });
      return wanted.map((one) => answers.get(`${one.tenant} ${one.version}`) ?? { refused: "the version is not stored" });
    },
  };
}

function prepare(world: Pick<World, "digest">, version: string, stored: { text: string; sourceMap: Json }): Prepared | Refused {
  if (world.digest(stored.text) !== version) return { refused: "the stored definition is not the one its hash names" };
  const accepted = accept(JSON.parse(stored.text));
  if ("violations" in accepted) return { refused: `the stored definition is refused: ${accepted.violations[0]?.code ?? "no reason"}` };
  const places = placesOf(accepted.definition.workflow.id, stored.sourceMap);
  const digests = new Map<string, string>();
  return {
    graph: graph(accepted.definition),
    place: places,
    digest: (node, source) => {
      const known = digests.get(node) ?? world.digest(source);
      digests.set(node, known);
      return known;
    },
  };
}
