import { type Definition, type Edge, graph } from "../index.ts";
import { arbitraryDefinition } from "./definitions.ts";
import { step } from "./find.ts";
import { any, type Mutations, of, survive } from "./mutations.ts";

const inArm = (definition: Definition) => definition.nodes.filter(({ id }) => graph(definition).armOf(id) !== null);

const MUTATIONS: Mutations = {
  "unique-node-ids": ["WOML_DUPLICATE_NODE_ID", (d, pick) => d.nodes.push({ ...any(d.nodes, pick) }) > 0],
  "unique-trigger-ids": ["WOML_DUPLICATE_TRIGGER_ID", (d) => d.triggers.push({ id: "go", kind: "manual" }) > 0],
  "unique-edges": ["WOML_DUPLICATE_EDGE", (d, pick) => d.edges.length > 0 && d.edges.push({ ...any(d.edges, pick) }) > 0],
  "known-endpoints": ["WOML_UNKNOWN_EDGE_ENDPOINT", (d, pick) => d.edges.push({ from: any(d.nodes, pick).id, to: "nobody" }) > 0],
  "unique-aliases": [
    "WOML_DUPLICATE_ALIAS",
    (d, pick) => d.uses !== undefined && d.uses.push({ ...any(d.uses, pick), capability: "acme.other" }) > 0,
  ],
  "readable-ranges": [
    "WOML_CAPABILITY_RANGE_INVALID",
    (d, pick) => d.uses !== undefined && Object.assign(any(d.uses, pick), { range: "^^1" }) !== null,
  ],
  "known-calls": ["WOML_UNKNOWN_ALIAS", (d) => d.uses !== undefined && delete d.uses],
  "retry-delays": [
    "WOML_RETRY_MAX_DELAY_INVALID",
    (d, pick) => {
      const node = of(d, "step", pick);
      if (node) node.retry = { maxAttempts: 2, backoff: { kind: "exponential", delayMs: 2 + pick, maxDelayMs: 1 + pick } };
      return node !== undefined;
    },
  ],
  acyclic: ["WOML_CYCLIC_GRAPH", (d, pick) => d.edges.length > 0 && d.edges.push(turned(any(d.edges, pick))) > 0],
  "entry-kinds": [
    "WOML_INVALID_ENTRY_NODE",
    (d, pick) => {
      const end = of(d, pick % 2 === 0 ? "choice" : "parallel", pick);
      d.edges = d.edges.filter((edge) => edge.to !== end?.id);
      return end !== undefined;
    },
  ],
  "arm-edges": [
    "WOML_INVALID_ARM_EDGE",
    (d, pick) => {
      if (d.edges.length === 0) return false;
      const edge = any(d.edges, pick);
      if (edge.arm === undefined) edge.arm = "stray";
      else delete edge.arm;
      return true;
    },
  ],
  "choice-pairs (select)": [
    "WOML_INVALID_BRANCH_SELECTOR",
    (d, pick) => {
      const select = of(d, "select", pick);
      if (select) select.choice = select.id;
      return select !== undefined;
    },
  ],
  "choice-pairs (choice)": [
    "WOML_INVALID_BRANCH_GROUP",
    (d, pick) => {
      const select = of(d, "select", pick);
      return select !== undefined && d.nodes.push({ ...select, id: "again" }) > 0;
    },
  ],
  "choice-results": [
    "WOML_INVALID_BRANCH_RESULT",
    (d, pick) => (of(d, "choice", pick)?.results?.push({ arm: "odd", value: ["payload"] }) ?? 0) > 0,
  ],
  "parallel-groups": [
    "WOML_INVALID_PARALLEL_GROUP",
    (d, pick) => {
      const open = of(d, "open", pick);
      return open !== undefined && d.nodes.push(step("loose")) > 0 && d.edges.push({ from: open.id, to: "loose" }) > 0;
    },
  ],
  "closed-arms (entered)": [
    "WOML_INVALID_BRANCH_GROUP",
    (d, pick) => {
      const inside = inArm(d).filter(({ kind, id }) => kind === "step" && graph(d).parallelOf(id) === null);
      return inside.length > 0 && d.nodes.push(step("outside")) > 0 && d.edges.push({ from: "outside", to: any(inside, pick).id }) > 0;
    },
  ],
  "closed-arms (left)": [
    "WOML_INVALID_BRANCH_GROUP",
    (d, pick) => {
      const inside = inArm(d).filter(({ kind, id }) => kind === "step" && graph(d).parallelOf(id) === null);
      if (inside.length === 0) return false;
      d.nodes.push(step("outside"), step("beyond"));
      return d.edges.push({ from: any(inside, pick).id, to: "beyond" }, { from: "outside", to: "beyond" }) > 0;
    },
  ],
  "no-dead-end": [
    "WOML_DEAD_END_NODE",
    (d, pick) => {
      const inside = inArm(d).filter(({ kind, id }) => kind === "step" && graph(d).parallelOf(id) === null);
      return inside.length > 0 && d.nodes.push(step("end")) > 0 && d.edges.push({ from: any(inside, pick).id, to: "end" }) > 0;
    },
  ],
  "known-references": ["WOML_UNKNOWN_REFERENCE", (d, pick) => needs(d, pick, "nobody")],
  "dominated-reference": ["WOML_REFERENCE_NOT_DOMINATING", (d, pick) => needs(d, pick, of(d, "step", pick)?.id ?? "")],
  "result-exists": ["WOML_INVALID_RESULT_NODE", (d) => Object.assign(d, { result: "nobody" }) === d],
  "result-certain": [
    "WOML_INVALID_RESULT_NODE",
    (d, pick) => {
      const inside = inArm(d).filter(({ kind }) => kind === "step" || kind === "choice");
      if (inside.length > 0) d.result = any(inside, pick).id;
      return inside.length > 0;
    },
  ],
  kinds: ["WOML_FEATURE_NOT_EXECUTABLE", (d, pick) => Object.assign(any(d.nodes, pick), { kind: "fetch" }) !== null],
  shape: ["WOML_DEFINITION_INVALID", (d, pick) => Object.assign(any(d.nodes, pick), { position: 1 }) !== null],
};

survive(MUTATIONS, arbitraryDefinition);

const turned = ({ from, to }: Edge): Edge => ({ from: to, to: from });

function needs(definition: Definition, pick: number, id: string): boolean {
  const node = of(definition, "step", pick);
  if (node) node.script.needs = { payload: false, steps: [id] };
  return node !== undefined;
}
