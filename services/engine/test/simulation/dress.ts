import {
  type Definition,
  type ForEachNode,
  HOOK_EVENTS,
  type Hook,
  type Node,
  type Notice,
  type Reusable,
  type Script,
  type StepNode,
} from "@woml/model";
import type { Chance } from "./chance.ts";
import { type Program, programFor, SECRET } from "./program.ts";
import { CAPABILITY, MODULES, OPERATIONS, RELEASE } from "./wares.ts";

const CALLS = [
  ...Object.keys(OPERATIONS).map((name) => `shop.${name}`),
  "events.emit",
  "state.increment",
  "workflows.call",
  "workflows.start",
].toSorted();
const USES: NonNullable<Definition["uses"]> = [
  { alias: "shop", capability: CAPABILITY, range: "^1", bound: { version: "1.0.0", release: RELEASE } },
  ...["events", "state", "workflows"].map((alias) => ({ alias, capability: alias, range: "*" })),
];
/** What a provider answers that has delivered. */
export const NOTICE = `return { messageId: "m" };`;
const FLAG = ["payload", "flag"] as const;
const WORD = ["payload", "word"] as const;
const ITEMS = ["payload", "items"] as const;

export interface Dressed {
  readonly definition: Definition;
  readonly programs: readonly Program[];
}

/** Gives a definition scripts that can be played, values that mostly fit, and what observes it. `isArmed`: some of its scripts call. */
export function dress(made: Definition, chance: Chance, isArmed: boolean): Dressed {
  const { policy, uses: _, ...rest } = made;
  const dresser = new Dresser(chance, isArmed);
  const nodes = made.nodes.map((node) => dresser.node(node));
  const lifecycle = chance.hit(0.4) ? dresser.hooks(nodes) : [];
  const { programs, imported } = dresser;
  const modules = [...imported].sort().map((digest) => ({ digest, exports: ["f"] }));
  const some = {
    ...(policy && { policy }),
    ...(lifecycle.length > 0 && { lifecycle: [...lifecycle] }),
    ...(programs.length > 0 && { uses: USES }),
    ...(modules.length > 0 && { modules }),
  };
  return { definition: { ...rest, nodes, ...some }, programs };
}

class Dresser {
  readonly programs: Program[] = [];
  readonly imported = new Set<string>();
  readonly #chance: Chance;
  readonly #isArmed: boolean;

  constructor(chance: Chance, isArmed: boolean) {
    this.#chance = chance;
    this.#isArmed = isArmed;
  }

  node<N extends Node>(node: N): N | Node {
    const chance = this.#chance;
    switch (node.kind) {
      case "step":
        return this.#step(node);
      case "for-each":
        return this.#loop(node);
      case "parallel":
        return node.concurrency === undefined ? node : { ...node, concurrency: chance.between(1, node.concurrency) };
      case "select":
        return { ...node, arms: node.arms.map((arm) => (chance.hit(0.9) ? { ...arm, test: [...FLAG] } : arm)) };
      case "switch":
        return chance.hit(0.9) ? { ...node, value: [...WORD] } : node;
      case "approval":
        return chance.hit(0.4) ? { ...node, notices: Array.from({ length: chance.between(1, 2) }, () => this.#notice()) } : node;
      default:
        return node;
    }
  }

  hooks(nodes: readonly Node[]): readonly Hook[] {
    const chance = this.#chance;
    const steps = nodes
      .flatMap((node) => (node.kind === "for-each" ? node.body.nodes : [node]))
      .flatMap((node) => (node.kind === "step" ? node.id : []));
    return HOOK_EVENTS.filter(() => chance.hit(0.4)).map((on): Hook => {
      const actions = Array.from({ length: chance.between(1, 2) }, (_, at) => this.#action(on, at + 1));
      const some =
        on.startsWith("step_") && chance.hit(0.4) ? { steps: steps.filter((_, at) => at === 0 || chance.hit(0.5)).toSorted() } : {};
      return { on, actions, ...some };
    });
  }

  #action(on: Hook["on"], nth: number): Hook["actions"][number] {
    if (this.#chance.hit(0.75)) return { kind: "script", script: this.#script(`@${on}/${nth}`, 0.2, []) };
    return { kind: "notify", notices: [{ ...this.#notice(), message: [{ kind: "text", text: "look" }] }] };
  }

  #notice(): Notice {
    return {
      provider: "custom",
      script: { source: NOTICE },
      reusable: { props: [{ name: "to", value: { kind: "literal", text: "all" } }] },
    };
  }

  #step({ script: _, reusable, retry: __, ...node }: StepNode): StepNode {
    const chance = this.#chance;
    const script = this.#script(node.id, 0.5, reusable === undefined ? [SECRET] : []);
    const retried = script.calls === undefined ? chance.hit(0.3) : chance.hit(0.6);
    const retry = { maxAttempts: chance.between(2, 3), backoff: { kind: "fixed" as const, delayMs: chance.pick([1, 300, 2_000]) } };
    return { ...node, script, ...(retried && { retry }), ...(reusable && { reusable: this.#reusable(node.id, reusable) }) };
  }

  #reusable(id: string, { props }: Reusable): Reusable {
    const own = (event: string): readonly Script[] => (this.#chance.hit(0.5) ? [this.#script(`@${event}/${id}/1`, 0.2, [])] : []);
    const [onSuccess, onError, onComplete] = [own("use_success"), own("use_error"), own("use_complete")];
    return {
      props: props.filter(({ value }) => value.kind !== "secret"),
      ...(onSuccess.length > 0 && { onSuccess: [...onSuccess] }),
      ...(onError.length > 0 && { onError: [...onError] }),
      ...(onComplete.length > 0 && { onComplete: [...onComplete] }),
    };
  }

  #loop({ concurrency: _, ...node }: ForEachNode): ForEachNode {
    const chance = this.#chance;
    const wide = chance.hit(0.6) ? { concurrency: chance.between(2, 3) } : {};
    const nodes = node.body.nodes.map((inner) => this.node(inner) as typeof inner);
    return { ...node, ...wide, items: chance.hit(0.93) ? [...ITEMS] : node.items, body: { ...node.body, nodes } };
  }

  /** `purpose` begins the ids of what its program calls for. */
  #script(purpose: string, armed: number, secrets: readonly string[]): Script {
    const imports = this.#imports();
    if (!this.#isArmed || !this.#chance.hit(armed)) return { source: `return ${JSON.stringify(purpose)};`, ...imports };
    const program = programFor(purpose, this.#chance, secrets.length > 0);
    this.programs.push(program);
    return { source: JSON.stringify(program), calls: CALLS, ...(secrets.length > 0 && { secrets: [...secrets] }), ...imports };
  }

  #imports(): Pick<Script, "modules"> {
    if (!this.#chance.hit(0.12)) return {};
    const [first, ...rest] = MODULES.keys();
    const digest = this.#chance.pick([first ?? "", ...rest]);
    this.imported.add(digest);
    return { modules: [{ alias: "lib", digest }] };
  }
}
