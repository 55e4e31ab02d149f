import { type Static, Type } from "typebox";
import { LocalId, NodeId } from "./identifier.ts";

/** `to` waits for `from`. An edge that leaves a select names the arm that makes it live. */
export const Edge = Type.Object({ from: NodeId, to: NodeId, arm: Type.Optional(LocalId) }, { additionalProperties: false });
export type Edge = Static<typeof Edge>;
