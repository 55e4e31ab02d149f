import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Definition, graph, type Node, type Notice } from "../index.ts";
import { arbitraryWhole } from "./definitions.ts";
import { step } from "./find.ts";
import { any, type Mutation, type Mutations, of, survive } from "./mutations.ts";

const body = (definition: Definition, pick: number): Extract<Node, { kind: "for-each" }>["body"] | undefined =>
  of(definition, "for-each", pick)?.body;
/** Changes a node of a kind, where there is one. */
const changed =
  <K extends Node["kind"]>(kind: K, change: (node: Extract<Node, { kind: K }>, definition: Definition) => void): Mutation =>
  (definition, pick) => {
    const node = of(definition, kind, pick);
    if (node) change(node, definition);
    return node !== undefined;
  };
const lifecycle = (definition: Definition) => definition.lifecycle ?? [];
const notices = (definition: Definition): readonly Notice[] =>
  lifecycle(definition).flatMap(({ actions }) => actions.flatMap((action) => (action.kind === "notify" ? action.notices : [])));
/** Steps that stand in a branch and in no arm within it. */
const inBranch = (definition: Definition, isJoined: boolean): readonly Node[] => {
  const walk = graph(definition);
  return definition.nodes.filter(({ id, kind }) => {
    const arm = walk.armOf(id);
    const end = arm && walk.node(arm.choice);
    return kind === "step" && walk.parallelOf(id) === null && end?.kind === "join" && end.branches.includes(arm?.arm ?? "") === isJoined;
  });
};
const reusables = ({ nodes }: Definition) =>
  nodes.flatMap((node) => (node.kind === "step" && node.reusable ? { ...node, reusable: node.reusable } : []));

const MUTATIONS: Mutations = {
  "unique-node-ids": ["WOML_DUPLICATE_NODE_ID", (d, pick) => (body(d, pick)?.nodes.push(step(any(d.nodes, pick).id)) ?? 0) > 0],
  "unique-edges": [
    "WOML_DUPLICATE_EDGE",
    (d, pick) => {
      const edges = body(d, pick)?.edges ?? [];
      return edges.length > 0 && edges.push({ ...any(edges, pick) }) > 0;
    },
  ],
  "known-endpoints": [
    "WOML_UNKNOWN_EDGE_ENDPOINT",
    (d, pick) => (body(d, pick)?.edges.push({ from: of(d, "for-each", pick)?.id ?? "", to: "nobody" }) ?? 0) > 0,
  ],
  "readable-triggers": [
    "WOML_WEBHOOK_PATH_INVALID",
    (d) => {
      const hook = d.triggers.find((trigger) => trigger.kind === "webhook");
      if (hook) hook.path += "?all";
      return hook !== undefined;
    },
  ],
  "unique-aliases": [
    "WOML_DUPLICATE_ALIAS",
    changed("step", ({ script }) => {
      script.modules = [1, 2].map((at) => ({ alias: "tax", digest: `sha256:${String(at).repeat(64)}` }));
    }),
  ],
  "unique-modules": ["WOML_DUPLICATE_MODULE", (d) => (d.modules?.push(...d.modules) ?? 0) > 0],
  "known-calls": [
    "WOML_UNKNOWN_ALIAS",
    (d, pick) => {
      const node = of(d, "step", pick);
      if (node) node.script.modules = [{ alias: "tax", digest: `sha256:${"0".repeat(64)}` }];
      return node !== undefined;
    },
  ],
  bounded: [
    "WOML_SCRIPT_SOURCE_TOO_LARGE",
    changed("for-each", ({ body: { nodes } }) => nodes.push({ ...step("huge"), script: { source: "x".repeat(262_145) } })),
  ],
  acyclic: [
    "WOML_CYCLIC_GRAPH",
    (d, pick) => {
      const { nodes = [], edges = [] } = body(d, pick) ?? {};
      return nodes.length > 0 && edges.push({ from: any(nodes, pick).id, to: any(nodes, pick).id }) > 0;
    },
  ],
  "entry-kinds": [
    "WOML_INVALID_ENTRY_NODE",
    changed("join", (join, d) => {
      d.edges = d.edges.filter(({ to }) => to !== join.id);
    }),
  ],
  "arm-edges (approval)": [
    "WOML_INVALID_ARM_EDGE",
    changed("approval", ({ id }, d) => {
      d.edges = d.edges.filter(({ from, arm }) => from !== id || arm !== "rejected");
    }),
  ],
  "arm-edges (switch)": ["WOML_INVALID_ARM_EDGE", changed("switch", (node) => node.arms.push({ arm: "more", equals: "more" }))],
  "choice-pairs": ["WOML_INVALID_BRANCH_GROUP", changed("approval", (node, d) => d.nodes.push({ ...node, id: "again" }))],
  "choice-results": [
    "WOML_INVALID_BRANCH_RESULT",
    (d, pick) => {
      const all = d.nodes.flatMap((node) => (node.kind === "choice" ? (node.results ?? []) : []));
      return all.length > 0 && Object.assign(any(all, pick), { arm: "odd" }) !== null;
    },
  ],
  "control-choices": [
    "WOML_INVALID_CONTROL_CHOICE",
    (d, pick) => {
      const choice = of(d, "choice", pick);
      if (choice?.results || !choice) return false;
      choice.name = "Named";
      return true;
    },
  ],
  "distinct-cases": [
    "WOML_INVALID_BRANCH_SELECTOR",
    changed("switch", (node) => node.arms.push({ arm: "more", equals: node.arms[0]?.equals ?? "" })),
  ],
  "parallel-groups": [
    "WOML_INVALID_PARALLEL_GROUP",
    changed("parallel", (node) => {
      node.concurrency = 5;
    }),
  ],
  "fork-groups (join)": ["WOML_INVALID_FORK_GRAPH", changed("join", (node) => node.branches.push("nobody"))],
  "fork-groups (fork)": [
    "WOML_INVALID_FORK_GRAPH",
    changed("fork", ({ id, join }, d) => {
      d.edges = d.edges.filter(({ from, to }) => from !== id || to !== join);
    }),
  ],
  "fork-groups (reserved)": [
    "WOML_INVALID_FORK_GRAPH",
    changed("fork", ({ id }, d) => {
      for (const edge of d.edges) if (edge.from === id && edge.arm !== undefined) edge.arm = "all";
    }),
  ],
  "fork-branches (unjoined)": [
    "WOML_INVALID_FORK_GRAPH",
    (d, pick) => {
      const inside = inBranch(d, false);
      if (inside.length === 0) return false;
      const { id } = any(inside, pick);
      return d.edges.push({ from: id, to: graph(d).armOf(id)?.choice ?? "" }) > 0;
    },
  ],
  "fork-branches (nested)": [
    "WOML_INVALID_FORK_GRAPH",
    (d, pick) => {
      const inside = inBranch(d, false);
      if (inside.length === 0) return false;
      d.nodes.push({ kind: "fork", id: "inner:fork", join: "inner" }, step("deep"), { kind: "join", id: "inner", branches: [] });
      d.edges.push({ from: any(inside, pick).id, to: "inner:fork" }, { from: "inner:fork", to: "inner" });
      return d.edges.push({ from: "inner:fork", to: "deep", arm: "deep" }) > 0;
    },
  ],
  "closed-arms (entered)": [
    "WOML_INVALID_BRANCH_GROUP",
    (d, pick) => {
      const inside = inBranch(d, pick % 2 === 0);
      return inside.length > 0 && d.nodes.push(step("outside")) > 0 && d.edges.push({ from: "outside", to: any(inside, pick).id }) > 0;
    },
  ],
  "closed-arms (left)": [
    "WOML_INVALID_BRANCH_GROUP",
    (d, pick) => {
      const inside = inBranch(d, pick % 2 === 0);
      if (inside.length === 0) return false;
      d.nodes.push(step("outside"), step("beyond"));
      return d.edges.push({ from: any(inside, pick).id, to: "beyond" }, { from: "outside", to: "beyond" }) > 0;
    },
  ],
  "no-dead-end": [
    "WOML_DEAD_END_NODE",
    (d, pick) => {
      const inside = inBranch(d, true);
      return inside.length > 0 && d.nodes.push(step("end")) > 0 && d.edges.push({ from: any(inside, pick).id, to: "end" }) > 0;
    },
  ],
  "approval-groups (time-out)": [
    "WOML_INVALID_APPROVAL_GROUP",
    changed("approval", (node) => (node.timeoutMs === undefined ? Object.assign(node, { onTimeout: "fail" }) : delete node.timeoutMs)),
  ],
  "approval-groups (end)": [
    "WOML_INVALID_APPROVAL_GROUP",
    changed("approval", (node, d) => {
      node.choice = any(d.nodes, 0).id === node.choice ? any(d.nodes, 1).id : node.id;
    }),
  ],
  "call-only": ["WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED", changed("approval", (_, d) => Object.assign(d, { triggers: [] }))],
  "loop-bodies": ["WOML_INVALID_FOR_EACH", (d, pick) => (body(d, pick)?.nodes.push(step("loose")) ?? 0) > 0],
  "single-file (body)": [
    "WOML_INVALID_FOR_EACH",
    (d, pick) => {
      const flow = body(d, pick);
      const edge = flow?.edges.find(({ from }) => flow.nodes.some(({ id, kind }) => id === from && kind !== "open"));
      if (!flow || !edge) return false;
      flow.nodes.push(step("beside"));
      const last = flow.nodes.find(({ id }) => flow.edges.every(({ from }) => from !== id) && id !== "beside");
      return flow.edges.push({ ...edge, to: "beside" }, { from: "beside", to: last?.id ?? "" }) > 0;
    },
  ],
  "single-file (branch)": [
    "WOML_INVALID_FORK_GRAPH",
    (d, pick) => {
      const inside = inBranch(d, false).filter(({ id, kind }) => kind === "step" && graph(d).outgoing(id).length === 0);
      if (inside.length === 0) return false;
      d.nodes.push(step("left"), step("right"));
      const from = any(inside, pick).id;
      return d.edges.push({ from, to: "left" }, { from, to: "right" }) > 0;
    },
  ],
  "lifecycle-hooks (twice)": [
    "WOML_INVALID_LIFECYCLE",
    (d, pick) => d.lifecycle !== undefined && d.lifecycle.push({ ...any(d.lifecycle, pick) }) > 0,
  ],
  "lifecycle-hooks (steps)": [
    "WOML_INVALID_LIFECYCLE",
    (d, pick) => Object.assign(any(lifecycle(d), pick), { steps: ["nobody"] }) !== null,
  ],
  "notice-messages": ["WOML_INVALID_NOTIFICATION_GROUP", (d, pick) => notices(d).length > 0 && delete any(notices(d), pick).message],
  "message-paths": [
    "WOML_INVALID_REFERENCE",
    (d, pick) =>
      notices(d).length > 0 && Object.assign(any(notices(d), pick), { message: [{ kind: "reference", path: ["item"] }] }) !== null,
  ],
  "reusable-props (twice)": [
    "WOML_INVALID_REUSABLE",
    (d, pick) =>
      reusables(d).length > 0 && any(reusables(d), pick).reusable.props.push({ name: "text", value: { kind: "literal", text: "" } }) > 0,
  ],
  "reusable-props (secrets)": [
    "WOML_INVALID_REUSABLE",
    (d, pick) => reusables(d).length > 0 && Object.assign(any(reusables(d), pick).script, { secrets: ["KEY"] }) !== null,
  ],
  "known-contracts (step)": ["WOML_CONTRACT_UNSUPPORTED", changed("step", (node) => Object.assign(node, { contract: 2 }))],
  "known-contracts (reusable)": [
    "WOML_CONTRACT_UNSUPPORTED",
    (d, pick) => reusables(d).length > 0 && Object.assign(any(reusables(d), pick).reusable, { contract: 7 }) !== null,
  ],
  "known-contracts (action)": [
    "WOML_CONTRACT_UNSUPPORTED",
    (d, pick) => Object.assign(any(any(lifecycle(d), pick).actions, pick), { contract: 2 }) !== null,
  ],
  "known-references (outside)": [
    "WOML_UNKNOWN_REFERENCE",
    (d, pick) => {
      const [inner] = body(d, pick)?.nodes ?? [];
      const node = of(d, "step", pick);
      if (!inner || !node) return false;
      node.script.needs = { payload: false, steps: [inner.id] };
      return true;
    },
  ],
  "known-references (item)": [
    "WOML_INVALID_REFERENCE",
    changed("for-each", (node) => {
      node.items = ["item"];
    }),
  ],
  "dominated-reference (result)": [
    "WOML_REFERENCE_NOT_DOMINATING",
    changed("for-each", (node) => {
      node.result = ["steps", node.id];
    }),
  ],
  "dominated-reference (unjoined)": [
    "WOML_REFERENCE_NOT_DOMINATING",
    (d, pick) => {
      const inside = inBranch(d, false);
      const last = d.nodes.find(({ id }) => id === d.result);
      if (inside.length === 0 || last?.kind !== "step") return false;
      last.script.needs = { payload: false, steps: [any(inside, pick).id] };
      return true;
    },
  ],
  "result-exists": ["WOML_INVALID_RESULT_NODE", changed("join", ({ id }, d) => Object.assign(d, { result: id }))],
  "result-certain": [
    "WOML_INVALID_RESULT_NODE",
    (d, pick) => {
      const inside = inBranch(d, pick % 2 === 0);
      if (inside.length > 0) d.result = any(inside, pick).id;
      return inside.length > 0;
    },
  ],
  "kinds in bodies": [
    "WOML_FEATURE_NOT_EXECUTABLE",
    (d, pick) => {
      const nodes = body(d, pick)?.nodes ?? [];
      return nodes.length > 0 && Object.assign(any(nodes, pick), { kind: "approval" }) !== null;
    },
  ],
};

survive(MUTATIONS, arbitraryWhole);

test("every law is broken here or in mutations.test.ts", () => {
  const laws = readdirSync(new URL("../laws/", import.meta.url)).map((file) => file.replace(".ts", ""));
  const other = readFileSync(new URL("mutations.test.ts", import.meta.url), "utf8");
  const broken = new Set(Object.keys(MUTATIONS).map((name) => name.split(" ")[0]));
  assert.deepEqual(
    laws.filter((law) => !broken.has(law) && !other.includes(`  "${law}`)),
    [],
  );
});
