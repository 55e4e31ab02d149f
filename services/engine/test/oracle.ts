import assert from "node:assert/strict";
import type { Definition, Edge, Node } from "@woml/model";
import type { RunEvent } from "@woml/run";

interface Flow {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/**
 * The rule of a definition in its plainest form, written apart from decide: a node may begin when each edge into it is resolved and one is
 * live (or there is none); a node whose edges are all dead is dead; a join may when all of its edges are live. A body is a flow of its own in
 * each iteration. Slow on purpose: it looks at everything each time.
 */
export class Oracle {
  readonly #definition: Definition;
  /** Sites, and the arm that each opener of a choice took. */
  readonly #completed = new Set<string>();
  readonly #arms = new Map<string, string>();
  readonly #begun = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(definition: Definition) {
    this.#definition = definition;
  }
  /** Sees one event, and that it may come. */
  see(event: RunEvent): void {
    this.#judge(event);
    this.#learn(event);
  }
  mayBegin(site: string): boolean {
    const [node = "", index] = site.split("#");
    const edges = this.#into(node);
    const standings = edges.map((edge) => this.#standing(edge, index));
    if (this.#nodeOf(node)?.kind === "join") return standings.every((standing) => standing === "live");
    return standings.every((standing) => standing !== "open") && (edges.length === 0 || standings.includes("live"));
  }
  /** Ids of nodes of the definition's own flow that have neither completed nor are dead. */
  unsettled(): readonly string[] {
    return this.#definition.nodes.map(({ id }) => id).filter((id) => !this.#completed.has(id) && !this.#isDead(id, undefined));
  }
  /** Ids of nodes of the definition's own flow that could begin now and have not; without these, which could not go on when they did. */
  left(failed: ReadonlySet<string>): readonly string[] {
    const isFailed = (id: string): boolean => failed.has(this.#endOf(id));
    const isCut = (id: string): boolean => this.#into(id).some(({ from }) => this.#failed.has(this.#groupOf(from)));
    const ids = this.#definition.nodes.map(({ id }) => id);
    return ids.filter((id) => !this.#begun.has(id) && this.mayBegin(id) && !isCut(id) && !isFailed(id));
  }

  #judge(event: RunEvent): void {
    const { type } = event;
    if (type === "step_started" && event.data.attempt === 1) this.#begin(event.data.node);
    if (type === "choice_settled" || type === "approval_requested" || type === "loop_opened") this.#begin(event.data.node);
    if ((type === "parallel_settled" || type === "join_settled") && event.data.status === "succeeded") this.#begin(event.data.node);
    if (type === "parallel_opened" || type === "fork_opened" || type === "choice_selected") {
      const opener = this.#openerOf(event.data.node);
      if (!this.#completed.has(opener)) this.#begin(opener);
    }
    if (type === "branch_settled" && event.data.status === "succeeded") this.#branch(event.data.node, event.data.branch);
    if (type === "iteration_settled" && event.data.status === "succeeded") {
      const index = String(event.data.index);
      for (const { id } of this.#bodyOf(event.data.node).nodes)
        assert.ok(this.#completed.has(`${id}#${index}`) || this.#isDead(id, index), `${id}#${index} is settled`);
    }
  }

  #learn(event: RunEvent): void {
    const { type } = event;
    if (type === "step_succeeded" || type === "choice_settled") this.#completed.add(event.data.node);
    if (type === "parallel_settled" || type === "join_settled" || type === "loop_settled")
      (event.data.status === "succeeded" ? this.#completed : this.#failed).add(event.data.node);
    if (type === "parallel_failing") this.#failed.add(event.data.node);
    if (type === "parallel_opened" || type === "fork_opened") this.#completed.add(this.#openerOf(event.data.node));
    if (type === "approval_resolved") this.#take(event.data.node, event.data.decision);
    if (type === "choice_selected") this.#take(this.#openerOf(event.data.node), event.data.arm);
  }

  #begin(site: string): void {
    assert.ok(this.mayBegin(site), `${site} may begin`);
    assert.ok(!this.#begun.has(site), `${site} begins once`);
    this.#begun.add(site);
  }
  #take(opener: string, arm: string): void {
    this.#completed.add(opener);
    this.#arms.set(opener, arm);
  }
  /** Everything between a fork and its join that this branch leads to. */
  #branch(join: string, branch: string): void {
    const { edges } = this.#definition;
    const fork = this.#openerOf(join);
    const inside = new Set(edges.flatMap(({ from, to, arm }) => (from === fork && arm === branch ? [to] : [])));
    for (const id of inside) for (const { from, to } of edges) if (from === id && to !== join) inside.add(to);
    for (const id of inside) assert.ok(this.#completed.has(id) || this.#isDead(id, undefined), `${id} is settled`);
  }

  #isDead(node: string, index: string | undefined): boolean {
    const edges = this.#into(node);
    return edges.length > 0 && edges.every((edge) => this.#standing(edge, index) === "dead");
  }
  #standing({ from, arm }: Edge, index: string | undefined): "live" | "dead" | "open" {
    const site = index === undefined ? from : `${from}#${index}`;
    if (!this.#completed.has(site)) return this.#isDead(from, index) ? "dead" : "open";
    if (arm === undefined || this.#nodeOf(from)?.kind === "fork") return "live";
    return this.#arms.get(site) === arm ? "live" : "dead";
  }
  /** Of the site of an end: that of what opens it. */
  #openerOf(end: string): string {
    const [id = "", index] = end.split("#");
    const found = this.#all().find(
      (node) =>
        ("choice" in node && node.choice === id) ||
        (node.kind === "open" && node.parallel === id) ||
        (node.kind === "fork" && node.join === id),
    );
    return index === undefined ? (found?.id ?? "") : `${found?.id}#${index}`;
  }
  /** What a failure of it is called by: of the opener of a choice, the choice. */
  #endOf(id: string): string {
    const node = this.#nodeOf(id);
    return node?.kind === "select" || node?.kind === "switch" ? node.choice : id;
  }
  /** The group that this opens, if its children need not all begin. */
  #groupOf(open: string): string {
    const node = this.#nodeOf(open);
    const end = node?.kind === "open" ? this.#nodeOf(node.parallel) : undefined;
    return end?.kind === "parallel" && end.onError === undefined ? end.id : "";
  }
  #into(node: string): readonly Edge[] {
    return this.#flows()
      .flatMap(({ edges }) => edges)
      .filter(({ to }) => to === node);
  }
  #nodeOf(id: string): Node | undefined {
    return this.#all().find((node) => node.id === id);
  }
  #bodyOf(loop: string): Flow {
    const node = this.#nodeOf(loop);
    return node?.kind === "for-each" ? node.body : { nodes: [], edges: [] };
  }
  #all(): readonly Node[] {
    return this.#flows().flatMap(({ nodes }) => nodes);
  }
  #flows(): readonly Flow[] {
    return [this.#definition, ...this.#definition.nodes.flatMap((node) => (node.kind === "for-each" ? [node.body] : []))];
  }
}
