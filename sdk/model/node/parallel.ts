import { type Static, Type } from "typebox";
import { Label, NodeId } from "../identifier.ts";

const closed = { additionalProperties: false };

/** Opens a parallel group: its children are the steps its edges lead to. */
export const OpenNode = Type.Object({ kind: Type.Literal("open"), id: NodeId, parallel: NodeId }, closed);
export type OpenNode = Static<typeof OpenNode>;

/** Ends a parallel group, fail-fast: one failed child cancels its siblings and fails the group. It has no output. */
export const ParallelNode = Type.Object(
  { kind: Type.Literal("parallel"), id: NodeId, name: Type.Optional(Label), description: Type.Optional(Label) },
  closed,
);
export type ParallelNode = Static<typeof ParallelNode>;
