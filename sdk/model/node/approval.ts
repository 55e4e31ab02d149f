import { type Static, Type } from "typebox";
import { Label, NodeId } from "../identifier.ts";
import { Notice } from "./notice.ts";

/**
 * Waits for a person's decision, which is its output: `{decision, source, decidedAt}`. It opens a choice whose arms are `approved` and
 * `rejected`; an empty arm is an edge straight to that choice. `onTimeout` stands where `timeoutMs` does.
 */
export const ApprovalNode = Type.Object(
  {
    kind: Type.Literal("approval"),
    id: NodeId,
    choice: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    onTimeout: Type.Optional(Type.Union([Type.Literal("fail"), Type.Literal("reject")])),
    notices: Type.Optional(Type.Array(Notice, { minItems: 1 })),
  },
  { additionalProperties: false },
);
export type ApprovalNode = Static<typeof ApprovalNode>;
