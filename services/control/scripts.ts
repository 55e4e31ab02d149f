import type { Definition, Notice, Reusable, Script } from "@woml/model";

/** A script of a definition, and what it may reach. */
export interface PlacedScript {
  /** Its own: `charge`, `charge:on-error:1`, `approve:notify:1`, `hook:run_failure:2`, `hook:run_failure:2:notify:1`. */
  readonly name: string;
  /** Whose it is, as spans of a source have it: a node's id, or `hook:<event>:<n>`. */
  readonly owner: string;
  /** JSON pointer of the script. */
  readonly pointer: string;
  readonly script: Script;
  /** Secrets that it names or that are given to it as a prop, each with the pointer of the list in which it stands. */
  readonly secrets: readonly { readonly name: string; readonly prop?: string; readonly pointer: string }[];
}
type Whole = Pick<Definition, "nodes" | "lifecycle">;

/** Every script of a definition, in its order: of steps, those in bodies of loops too, of hooks and notices, and of own lifecycles. */
export function* scriptsOf({ nodes, lifecycle }: Whole): Generator<PlacedScript> {
  yield* ofNodes(nodes, "/nodes");
  for (const [at, { on, actions }] of (lifecycle ?? []).entries()) {
    for (const [nth, action] of actions.entries()) {
      const owner = `hook:${on}:${nth + 1}`;
      const pointer = `/lifecycle/${at}/actions/${nth}`;
      if (action.kind === "script") yield placed({ name: owner, owner, pointer: `${pointer}/script` }, action.script);
      else yield* ofNotices(action.notices, owner, pointer);
    }
  }
}

function* ofNodes(nodes: Definition["nodes"], path: string): Generator<PlacedScript> {
  for (const [at, node] of nodes.entries()) {
    const pointer = `${path}/${at}`;
    if (node.kind === "step") yield* ofTask({ name: node.id, owner: node.id, pointer }, node);
    else if (node.kind === "for-each") yield* ofNodes(node.body.nodes, `${pointer}/body/nodes`);
    else if (node.kind === "approval") yield* ofNotices(node.notices ?? [], node.id, pointer);
  }
}

function* ofNotices(notices: readonly Notice[], owner: string, path: string): Generator<PlacedScript> {
  for (const [at, notice] of notices.entries()) {
    if (notice.provider !== "custom") continue;
    yield* ofTask({ name: `${owner}:notify:${at + 1}`, owner, pointer: `${path}/notices/${at}` }, notice);
  }
}

type Place = Pick<PlacedScript, "name" | "owner" | "pointer">;
const OWN = [
  ["onSuccess", "on-success"],
  ["onError", "on-error"],
  ["onComplete", "on-complete"],
] as const;

function* ofTask(
  { name, owner, pointer }: Place,
  { script, reusable }: { readonly script: Script; readonly reusable?: Reusable },
): Generator<PlacedScript> {
  const main = placed({ name, owner, pointer: `${pointer}/script` }, script);
  const given = (reusable?.props ?? []).flatMap(({ name: prop, value }) =>
    value.kind === "secret" ? [{ name: value.name, prop, pointer: `${pointer}/reusable/props` }] : [],
  );
  yield { ...main, secrets: [...main.secrets, ...given] };
  for (const [key, hook] of OWN) {
    for (const [at, own] of (reusable?.[key] ?? []).entries())
      yield placed({ name: `${name}:${hook}:${at + 1}`, owner, pointer: `${pointer}/reusable/${key}/${at}` }, own);
  }
}

function placed(place: Place, script: Script): PlacedScript {
  return { ...place, script, secrets: (script.secrets ?? []).map((name) => ({ name, pointer: `${place.pointer}/secrets` })) };
}
