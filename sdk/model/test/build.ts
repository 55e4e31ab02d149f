import type { BodyNode, Definition, Edge, ForEachNode, Node, Reference, Retry, Reusable, StepNode, Use } from "../index.ts";
import type { Item, Plan } from "./plan.ts";

export interface Built {
  readonly definition: Definition;
  /** What each node should see, by the rules of the language's flows and not by the graph. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
}
type Of<K extends Item["kind"]> = Extract<Item, { kind: K }>;

interface Growing {
  readonly nodes: Node[];
  readonly edges: Edge[];
  readonly seen: Map<string, readonly string[]>;
  /** Outputs that stand in a branch: no run's result. */
  readonly inner: Set<string>;
  /** Begins every id, so that those of bodies differ from all others. */
  readonly prefix: string;
  /** In the body of a loop there are no forks, approvals and loops, in a branch no forks: steps stand in their place. In both no meshes. */
  readonly within: "flow" | "branch" | "body";
}
/** Where a flow stands: loose ends that the next item will wait for, and the outputs certain by now. */
interface Point {
  readonly ends: readonly Pick<Edge, "from" | "arm">[];
  readonly sure: readonly string[];
}

export function build(plan: Plan): Built {
  const grown: Growing = { nodes: [], edges: [], seen: new Map(), inner: new Set(), prefix: "", within: "flow" };
  const end = flow(grown, plan.items, { ends: [], sure: [] });
  const definition: Definition = {
    schemaVersion: 1,
    workflow: { id: "made-up" },
    ...(plan.timeoutMs === null ? {} : { policy: { timeoutMs: plan.timeoutMs } }),
    ...usesOf(grown.nodes),
    triggers: [{ id: "go", kind: "manual" }],
    nodes: grown.nodes,
    edges: grown.edges,
    result: chosen(
      end.sure.filter((id) => !grown.inner.has(id)),
      plan.pick,
    ),
  };
  return { definition, seen: grown.seen };
}

const flow = (grown: Growing, items: readonly Item[], start: Point): Point => items.reduce((at, item) => place(grown, item, at), start);

function place(grown: Growing, item: Item, at: Point): Point {
  switch (item.kind) {
    case "step":
      return step(grown, item, at);
    case "parallel":
      return parallel(grown, item, at);
    case "choice":
      return choice(grown, item, at);
    case "mesh":
      return grown.within === "flow"
        ? mesh(grown, item.links, at)
        : item.links.reduce((point: Point, pick) => step(grown, { pick }, point), at);
    case "fork":
      return grown.within === "flow" ? fork(grown, item, at) : step(grown, { pick: item.joined }, at);
    case "approval":
      return grown.within === "body" ? step(grown, item, at) : approval(grown, item, at);
    case "loop":
      return grown.within === "body" ? step(grown, item, at) : loop(grown, item, at);
  }
}

const named = ({ prefix, nodes }: Growing, letter: string): string => `${prefix}${letter}${nodes.length}`;

function add(grown: Growing, node: Node, at: Point): void {
  grown.nodes.push(node);
  grown.edges.push(...at.ends.map((end) => ({ ...end, to: node.id })));
  grown.seen.set(node.id, at.sure.toSorted());
}

function step(grown: Growing, { pick, isReusable = false }: { pick: number; isReusable?: boolean }, at: Point): Point {
  const id = named(grown, "s");
  const node = stepNode(id, pick, at.sure);
  add(grown, isReusable ? reusable(node, pick, at.sure) : node, at);
  return { ends: [{ from: id }], sure: [...at.sure, id] };
}

function parallel(grown: Growing, { picks, isBent = false }: Of<"parallel">, at: Point): Point {
  const id = named(grown, "p");
  add(grown, { kind: "open", id: `${id}:open`, parallel: id }, at);
  const children = picks.map((pick) => step(grown, { pick }, { ends: [{ from: `${id}:open` }], sure: at.sure }));
  const sure = [...at.sure, ...children.flatMap((child) => child.ends.map(({ from }) => from))];
  const waits = (picks[0] ?? 0) % 3 > 0 ? { onError: "wait-all" as const } : {};
  const bent = isBent ? { ...waits, concurrency: Math.max(1, Math.floor(picks.length / 2)) } : {};
  add(grown, { kind: "parallel", id, ...bent }, { ends: children.flatMap((child) => child.ends), sure });
  return { ends: [{ from: id }], sure };
}

function choice(grown: Growing, item: Of<"choice">, at: Point): Point {
  const id = named(grown, "c");
  const names = item.arms.map((_, index) => (index === item.arms.length - 1 ? "otherwise" : `when-${index}`));
  const opener = `${id}:${item.isSwitch ? "switch" : "select"}`;
  const open = { id: opener, choice: id, otherwise: "otherwise" };
  const tests = names.slice(0, -1).map((arm, index) => ({ arm, test: reference(at.sure, item.pick + index) }));
  const cases = tests.map(({ arm }) => ({ arm, equals: arm }));
  const value = reference(at.sure, item.pick);
  add(grown, item.isSwitch ? { kind: "switch", ...open, value, arms: cases } : { kind: "select", ...open, arms: tests }, at);
  const arms = item.arms.map((items, index) => {
    const arm = names[index] ?? "";
    const end = flow(grown, items, { ends: [{ from: opener, arm }], sure: at.sure });
    return { end, result: { arm, value: reference(end.sure, item.pick + 7 * index) } };
  });
  const ends = arms.flatMap(({ end }) => end.ends);
  const results = item.isControl ? {} : { results: arms.map(({ result }) => result) };
  add(grown, { kind: "choice", id, ...results }, { ends, sure: at.sure });
  return { ends: [{ from: id }], sure: item.isControl ? at.sure : [...at.sure, id] };
}

function fork(grown: Growing, { branches, joined }: Of<"fork">, at: Point): Point {
  const id = named(grown, "f");
  const opener = `${id}:fork`;
  add(grown, { kind: "fork", id: opener, join: id }, at);
  const inside: Growing = { ...grown, within: "branch" };
  const made = branches.map((items, index) => {
    const name = `b${index}`;
    return {
      name,
      isJoined: ((joined >> index) & 1) === 1,
      end: flow(inside, items, { ends: [{ from: opener, arm: name }], sure: at.sure }),
    };
  });
  const waited = made.filter(({ isJoined }) => isJoined);
  const sure = [...new Set([...at.sure, ...waited.flatMap(({ end }) => end.sure)])];
  for (const output of new Set(sure).difference(new Set(at.sure))) grown.inner.add(output);
  const ends = [{ from: opener }, ...waited.flatMap(({ end }) => end.ends)];
  add(grown, { kind: "join", id, branches: waited.map(({ name }) => name) }, { ends, sure });
  return { ends: [{ from: id }], sure };
}

function approval(grown: Growing, item: Of<"approval">, at: Point): Point {
  const id = named(grown, "a");
  const end = `${id}:end`;
  const timed =
    item.pick % 2 === 0 ? { timeoutMs: 1 + item.pick, onTimeout: item.pick % 4 === 0 ? ("fail" as const) : ("reject" as const) } : {};
  add(grown, { kind: "approval", id, choice: end, ...timed }, at);
  const sure = [...at.sure, id];
  const arms = (["approved", "rejected"] as const).flatMap((arm) => flow(grown, item[arm], { ends: [{ from: id, arm }], sure }).ends);
  add(grown, { kind: "choice", id: end }, { ends: arms, sure });
  return { ends: [{ from: end }], sure };
}

/** A step before the body's items and one behind them make one entry and one last node. */
function loop(grown: Growing, item: Of<"loop">, at: Point): Point {
  const id = named(grown, "l");
  const body: Growing = { ...grown, nodes: [], edges: [], inner: new Set(), prefix: `${id}x`, within: "body" };
  const bound: Item = { kind: "step", pick: item.pick };
  const end = flow(body, [bound, ...item.body, bound], { ends: [], sure: at.sure });
  const results: readonly Reference[] = [["item", "id"], ["iteration", "index"], reference(end.sure, item.pick)];
  const node: ForEachNode = {
    ...{ kind: "for-each", id, items: reference(at.sure, item.pick) },
    body: { nodes: body.nodes.filter(isBodyNode), edges: body.edges },
    ...(item.pick % 4 === 0 ? {} : { result: [...(results[item.pick % 3] ?? [])] }),
    ...(item.pick % 3 === 0 ? { concurrency: 2 } : {}),
  };
  add(grown, node, at);
  return { ends: [{ from: id }], sure: [...at.sure, id] };
}

const isBodyNode = (node: Node): node is BodyNode => !["fork", "join", "approval", "for-each"].includes(node.kind);

function reusable(node: StepNode, pick: number, sure: readonly string[]): StepNode {
  const { secrets: _, ...script } = node.script;
  const props: Reusable["props"] = [
    { name: "amount", value: { kind: "reference", path: reference(sure, pick) } },
    { name: "text", value: { kind: "literal", text: "" } },
    { name: "token", value: { kind: "secret", name: "TOKEN" } },
  ];
  return { ...node, script, reusable: { props, onComplete: [{ source: "", needs: { payload: true, steps: [node.id] } }] } };
}

function mesh(grown: Growing, links: readonly number[], at: Point): Point {
  const ids = links.map((_, index) => `${grown.prefix}m${grown.nodes.length + index}`);
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

/** Exactly what the scripts call, in bodies of loops too. */
function usesOf(nodes: readonly Node[]): Pick<Definition, "uses"> {
  const steps = nodes.flatMap((node): readonly Node[] => (node.kind === "for-each" ? node.body.nodes : [node]));
  const called = new Set(
    steps.flatMap((node) => (node.kind === "step" ? (node.script.calls ?? []) : [])).map((call) => call.split(".")[0]),
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
