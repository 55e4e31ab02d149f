import { type Static, Type } from "typebox";
import { Edge } from "./edge.ts";
import { HOOK_EVENTS } from "./hook-events.ts";
import { Label, NodeId, WorkflowId } from "./identifier.ts";
import { Hook } from "./lifecycle.ts";
import { Module } from "./module.ts";
import { ApprovalNode } from "./node/approval.ts";
import { BodyNode, ForEachNode } from "./node/for-each.ts";
import { ForkNode, JoinNode } from "./node/fork.ts";
import { Policy } from "./policy.ts";
import { Trigger } from "./trigger.ts";
import { Use } from "./use.ts";
import { SCHEMA_VERSION } from "./version.ts";

const closed = { additionalProperties: false };

export const Node = Type.Union([...BodyNode.anyOf, ForkNode, JoinNode, ApprovalNode, ForEachNode]);
export type Node = Static<typeof Node>;

/**
 * A workflow as the engine knows it: a directed acyclic graph without spans or paths. A node starts when all its incoming edges are
 * resolved and one at least is live; a node whose incoming edges are all dead is skipped. The order of nodes and edges means nothing:
 * `accept` answers them sorted. `result` is the node whose output is the run's result. Without triggers only another workflow starts it.
 */
export const Definition = Type.Object(
  {
    schemaVersion: Type.Literal(SCHEMA_VERSION),
    workflow: Type.Object(
      { id: WorkflowId, name: Type.Optional(Label), description: Type.Optional(Label), version: Type.Optional(Label) },
      closed,
    ),
    policy: Type.Optional(Policy),
    /** Sorted by alias; each alias once. */
    uses: Type.Optional(Type.Array(Use, { minItems: 1, maxItems: 64 })),
    /** Sorted by digest; each once. */
    modules: Type.Optional(Type.Array(Module, { minItems: 1, maxItems: 512 })),
    triggers: Type.Array(Trigger, { maxItems: 64 }),
    /** In the order of `HOOK_EVENTS`, each at most once. */
    lifecycle: Type.Optional(Type.Array(Hook, { minItems: 1, maxItems: HOOK_EVENTS.length })),
    nodes: Type.Array(Node, { minItems: 1 }),
    edges: Type.Array(Edge),
    result: NodeId,
  },
  closed,
);
export type Definition = Static<typeof Definition>;
