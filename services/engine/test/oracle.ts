import type { Definition } from "@woml/model";
import type { RunEvent } from "@woml/run";

/**
 * The rule of a definition in its plainest form, written apart from decide: a node may begin when each edge into it is resolved and one is
 * live (or there is none); a node whose edges are all dead is dead. Slow on purpose: it looks at everything each time.
 */
export class Oracle {
  readonly #definition: Definition;
  readonly #completed = new Set<string>();
  readonly #arms = new Map<string, string>();

  constructor(definition: Definition) {
    this.#definition = definition;
  }
  see({ type, data }: RunEvent): void {
    if (type === "step_succeeded" || type === "choice_settled") this.#completed.add(data.node);
    if (type === "parallel_settled" && data.status === "succeeded") this.#completed.add(data.node);
    for (const node of this.#definition.nodes) {
      if (type === "parallel_opened" && node.kind === "open" && node.parallel === data.node) this.#completed.add(node.id);
      if (type !== "choice_selected" || node.kind !== "select" || node.choice !== data.node) continue;
      this.#completed.add(node.id);
      this.#arms.set(node.id, data.arm);
    }
  }
  mayBegin(node: string): boolean {
    const edges = this.#into(node).map((edge) => this.#standing(edge));
    return edges.every((standing) => standing !== "open") && (edges.length === 0 || edges.includes("live"));
  }
  /** Ids of nodes that have neither completed nor are dead. */
  unsettled(): readonly string[] {
    return this.#definition.nodes.map(({ id }) => id).filter((id) => !this.#completed.has(id) && !this.#isDead(id));
  }
  #isDead(node: string): boolean {
    const edges = this.#into(node);
    return edges.length > 0 && edges.every((edge) => this.#standing(edge) === "dead");
  }
  #standing(edge: Definition["edges"][number]): "live" | "dead" | "open" {
    if (this.#completed.has(edge.from)) return edge.arm === undefined || this.#arms.get(edge.from) === edge.arm ? "live" : "dead";
    return this.#isDead(edge.from) ? "dead" : "open";
  }
  #into(node: string): Definition["edges"] {
    return this.#definition.edges.filter(({ to }) => to === node);
  }
}
