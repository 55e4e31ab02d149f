import { type Static, Type } from "typebox";
import { Edge } from "../edge.ts";
import { Label, NodeId } from "../identifier.ts";
import { Reference } from "../reference.ts";
import { ChoiceNode, SelectNode, SwitchNode } from "./choice.ts";
import { OpenNode, ParallelNode } from "./parallel.ts";
import { StepNode } from "./step.ts";

const closed = { additionalProperties: false };

/** What may stand in a loop. */
export const BodyNode = Type.Union([StepNode, SelectNode, SwitchNode, ChoiceNode, OpenNode, ParallelNode]);
export type BodyNode = Static<typeof BodyNode>;

/**
 * Runs its body once for each element of the array at `items`, at most `concurrency` (1 when absent) at a time. The body is a graph of its
 * own with one entry and one last node; its nodes see what the loop sees, `item` and `iteration`, and are seen by nothing outside. Ids
 * are unique over the whole definition. Output: `{total, succeeded, results?}`, results being the values at `result`, in order.
 */
export const ForEachNode = Type.Object(
  {
    kind: Type.Literal("for-each"),
    id: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    items: Reference,
    concurrency: Type.Optional(Type.Integer({ minimum: 2, maximum: 64 })),
    body: Type.Object({ nodes: Type.Array(BodyNode, { minItems: 1 }), edges: Type.Array(Edge) }, closed),
    result: Type.Optional(Reference),
  },
  closed,
);
export type ForEachNode = Static<typeof ForEachNode>;
