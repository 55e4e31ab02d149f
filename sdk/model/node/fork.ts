import { type Static, Type } from "typebox";
import { distinct } from "../distinct.ts";
import { LocalId, NodeId } from "../identifier.ts";

const closed = { additionalProperties: false };

/** Opens a fork: the edges that leave it name a branch each (`arm`), except the one to its join. All branches run side by side. */
export const ForkNode = Type.Object({ kind: Type.Literal("fork"), id: NodeId, join: NodeId }, closed);
export type ForkNode = Static<typeof ForkNode>;

/**
 * Where the flow goes on behind a fork, when `branches` (sorted; maybe none) have succeeded. It has no output. An edge leads to it from
 * its fork and from the last node of each of these branches; the last node of any other branch leads nowhere, and the run waits for it
 * at its end.
 */
export const JoinNode = Type.Object({ kind: Type.Literal("join"), id: NodeId, branches: distinct(Type.Array(LocalId)) }, closed);
export type JoinNode = Static<typeof JoinNode>;
