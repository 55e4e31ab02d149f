import type { Definition, Edge, Node, Reference, Retry, StepNode, Use } from "../index.ts";
import type { Item, Plan } from "./plan.ts";

export interface Built {
  readonly definition: Definition;
  /** What each node should see, by the rules of the language's flows and not by the graph. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
}
type Choice = Item & { kind: "choice" };

interface Growing {
  readonly nodes: Node[];
  readonly edges: Edge[];
  readonly seen: Map<string, readonly string[]>;
}
/** Where a flow stands: loose ends that the next item will wait for, and the outputs certain by now. */
interface Point {
  readonly ends: readonly Pick<Edge, "from" | "arm">[];
  readonly sure: readonly string[];
}

export function build(plan: Plan): Built {
  const grown: Growing = { nodes: [], edges: [], seen: new Map() };
  const end = flow(grown, plan.items, { ends: [], sure: [] });
  const definition: Definition = {
    schemaVersion: 1,
    workflow: { id: "made-up" },
    ...(plan.timeoutMs === null ? {} : { policy: { timeoutMs: plan.timeoutMs } }),
    ...usesOf(grown.nodes),
    triggers: [{ id: "go", kind: "manual" }],
    nodes: grown.nodes,
    edges: grown.edges,
    result: chosen(end.sure, plan.pick),
  };
  return { definition, seen: grown.seen };
}

const flow = (grown: Growing, items: readonly Item[], start: Point): Point => items.reduce((at, item) => place(grown, item, at), start);

function place(grown: Growing, item: Item, at: Point): Point {
  switch (item.kind) {
    case "step":
      return step(grown, item.pick, at);
    case "parallel":
      return parallel(grown, item.picks, at);
    case "choice":
      return choice(grown, item, at);
    case "mesh":
      return mesh(grown, item.links, at);
  }
}

function add(grown: Growing, node: Node, at: Point): void {
  grown.nodes.push(node);
  grown.edges.push(...at.ends.map((end) => ({ ...end, to: node.id })));
  grown.seen.set(node.id, at.sure.toSorted());
}

function step(grown: Growing, pick: number, at: Point): Point {
  const id = `s${grown.nodes.length}`;
  add(grown, stepNode(id, pick, at.sure), at);
  return { ends: [{ from: id }], sure: [...at.sure, id] };
}

function parallel(grown: Growing, picks: readonly number[], at: Point): Point {
  const id = `p${grown.nodes.length}`;
  add(grown, { kind: "open", id: `${id}:open`, parallel: id }, at);
  const children = picks.map((pick) => step(grown, pick, { ends: [{ from: `${id}:open` }], sure: at.sure }));
  const sure = [...at.sure, ...children.flatMap((child) => child.ends.map(({ from }) => from))];
  add(grown, { kind: "parallel", id }, { ends: children.flatMap((child) => child.ends), sure });
  return { ends: [{ from: id }], sure };
}

function choice(grown: Growing, item: Choice, at: Point): Point {
  const id = `c${grown.nodes.length}`;
  const names = item.arms.map((_, index) => (index === item.arms.length - 1 ? "otherwise" : `when-${index}`));
  const tests = names.slice(0, -1).map((arm, index) => ({ arm, test: reference(at.sure, item.pick + index) }));
  add(grown, { kind: "select", id: `${id}:select`, choice: id, arms: tests, otherwise: "otherwise" }, at);
  const arms = item.arms.map((items, index) => {
    const arm = names[index] ?? "";
    const end = flow(grown, items, { ends: [{ from: `${id}:select`, arm }], sure: at.sure });
    return { end, result: { arm, value: reference(end.sure, item.pick + 7 * index) } };
  });
  const ends = arms.flatMap(({ end }) => end.ends);
  add(grown, { kind: "choice", id, results: arms.map(({ result }) => result) }, { ends, sure: at.sure });
  return { ends: [{ from: id }], sure: [...at.sure, id] };
}

function mesh(grown: Growing, links: readonly number[], at: Point): Point {
  const ids = links.map((_, index) => `m${grown.nodes.length + index}`);
  const waited = new Set<string>();
  const sures: (readonly string[])[] = [];
  for (const [index, link] of links.entries()) {
    const before = ids.slice(0, index).filter((_, bit) => (link >> bit) & 1);
    for (const id of before) waited.add(id);
    const ends = before.length === 0 ? at.ends : before.map((from) => ({ from }));
    const own = before.flatMap((id) => [id, ...(sures[ids.indexOf(id)] ?? [])]);
    const sure = [...new Set([...at.sure, ...own])];
    sures.push(sure);
    add(grown, stepNode(ids[index] ?? "", link, sure), { ends, sure });
  }
  return { ends: ids.filter((id) => !waited.has(id)).map((from) => ({ from })), sure: [...at.sure, ...ids] };
}

function stepNode(id: string, pick: number, sure: readonly string[]): StepNode {
  const needs = { payload: pick % 2 === 0, steps: sure.filter((_, at) => (pick >> (at % 12)) & 1) };
  return {
    kind: "step",
    id,
    script: { source: `return ${JSON.stringify(id)};`, ...(pick % 3 === 0 ? {} : { needs }), ...reach(pick) },
    ...(pick % 4 === 0 ? { retry: retry(pick) } : {}),
  };
}

/** What now and then a script may call and name. */
const reach = (pick: number): Pick<StepNode["script"], "calls" | "secrets"> => ({
  ...(pick % 11 === 0 && { calls: pick % 2 === 0 ? ["http.request"] : ["http.request", "payments.charge", "payments.quote"] }),
  ...(pick % 13 === 0 && { secrets: pick % 2 === 0 ? ["API_KEY"] : ["API_KEY", "OTHER_KEY"] }),
});

const USES: readonly Use[] = [
  { alias: "http", capability: "http", range: "*" },
  { alias: "payments", capability: "acme.payments", range: "^1", bound: { version: "1.2.0", release: `sha256:${"a".repeat(64)}` } },
];

/** Exactly what the scripts call. */
function usesOf(nodes: readonly Node[]): Pick<Definition, "uses"> {
  const called = new Set(
    nodes.flatMap((node) => (node.kind === "step" ? (node.script.calls ?? []) : [])).map((call) => call.split(".")[0]),
  );
  const uses = USES.filter(({ alias }) => called.has(alias));
  return uses.length === 0 ? {} : { uses };
}

const retry = (pick: number): Retry => ({
  maxAttempts: 2 + (pick % 3),
  backoff: pick % 8 === 0 ? { kind: "fixed", delayMs: 1 + (pick % 500) } : { kind: "exponential", delayMs: 100, maxDelayMs: 100 + pick },
});
const reference = (sure: readonly string[], pick: number): Reference =>
  sure.length === 0 || pick % 5 === 0 ? ["payload", "flag"] : ["steps", chosen(sure, pick)];
const chosen = (list: readonly string[], pick: number): string => list[pick % list.length] ?? "";
