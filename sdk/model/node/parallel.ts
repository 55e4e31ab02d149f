import { type Static, Type } from "typebox";
import { Label, NodeId } from "../identifier.ts";

const closed = { additionalProperties: false };

/** Opens a parallel group: its children are the steps its edges lead to. */
export const OpenNode = Type.Object({ kind: Type.Literal("open"), id: NodeId, parallel: NodeId }, closed);
export type OpenNode = Static<typeof OpenNode>;

/**
 * Ends a parallel group. It has no output. One failed child fails the group; `onError` says what becomes of the others: cancelled when
 * absent, or waited for. At most `concurrency` children run at a time; all when absent.
 */
export const ParallelNode = Type.Object(
  {
    kind: Type.Literal("parallel"),
    id: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    onError: Type.Optional(Type.Literal("wait-all")),
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000 })),
  },
  closed,
);
export type ParallelNode = Static<typeof ParallelNode>;
