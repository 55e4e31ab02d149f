import { accept, type Graph, graph, LIMITS, parseJson, unsupported } from "@woml/model";
import type { EngineStore } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { DEFINITIONS_MAX, DEFINITIONS_TEXT } from "./bounds.ts";
import type { World } from "./engine.ts";
import { modulesOf, type Place, placesOf, scriptAt } from "./places.ts";

interface Wanted {
  readonly tenant: TenantId;
  readonly version: string;
}
/** A definition that this engine has accepted itself, with where its scripts stand in the author's file. */
export interface Prepared {
  readonly graph: Graph;
  /** Where the script at a site stands. */
  /** The same stack with the author's files where it names modules. */
  placed(stack: string): string;
  place(site: string): Place;
  /** Digest of the script at a site, counted once. */
  digest(site: string, source: string): string;
}
/** Why a version may not run: its stored bytes are not what the hash names, or not a definition that this engine accepts. */
export interface Refused {
  readonly refused: string;
}
export interface Definitions {
  /** One query for all; answers in the order asked. Rejects only when the store does. */
  load(wanted: readonly Wanted[]): Promise<readonly (Prepared | Refused)[]>;
}

export type StoredDefinition = NonNullable<Awaited<ReturnType<EngineStore["definitions"]>>[number]>;

interface Kept {
  readonly text: string;
  readonly prepared: Prepared;
}

/** Stored bytes are read each time and compared with those accepted before: what changed in between is hashed and judged again. */
export function definitions(world: Pick<World, "digest"> & { readonly store: Pick<EngineStore, "definitions"> }): Definitions {
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
  const judge = (wanted: Wanted, stored: StoredDefinition | null): Prepared | Refused => {
    if (stored === null) return NOT_STORED;
    const key = keyOf(wanted);
    const before = kept.get(key);
    const prepared = before !== undefined && before.text === stored.text ? before.prepared : prepare(world, wanted.version, stored);
    if ("refused" in prepared) forget(key);
    else keep(key, { text: stored.text, prepared });
    return prepared;
  };
  return {
    load: async (wanted) => {
      const asked = [...new Map(wanted.map((one) => [keyOf(one), one])).values()];
      const stored = asked.length === 0 ? [] : await world.store.definitions(asked);
      const answers = new Map(asked.map((one, index) => [keyOf(one), judge(one, stored[index] ?? null)]));
      return wanted.map((one) => answers.get(keyOf(one)) ?? NOT_STORED);
    },
  };
}

const NOT_STORED: Refused = { refused: "the version is not stored" };
const keyOf = ({ tenant, version }: Wanted): string => `${tenant} ${version}`;

function prepare(world: Pick<World, "digest">, version: string, stored: StoredDefinition): Prepared | Refused {
  if (world.digest(stored.text) !== version) return { refused: "the stored definition is not the one its hash names" };
  const parsed = parseJson(stored.text, { bytes: LIMITS.definitionBytes });
  if ("error" in parsed) return { refused: `the stored definition is refused: ${parsed.error.code}` };
  const accepted = accept(parsed.value);
  if ("violations" in accepted) return { refused: `the stored definition is refused: ${accepted.violations[0]?.code ?? "no reason"}` };
  const [strange] = unsupported(accepted.definition);
  if (strange) return { refused: `the stored definition holds what this engine does not run: ${strange.what}` };
  const places = placesOf(accepted.definition.workflow.id, stored.sourceMap);
  const digests = new Map<string, string>();
  return {
    graph: graph(accepted.definition),
    placed: modulesOf(stored.sourceMap),
    place: (site) => places(scriptAt(site)),
    digest: (site, source) => {
      const name = scriptAt(site);
      const known = digests.get(name) ?? world.digest(source);
      digests.set(name, known);
      return known;
    },
  };
}
