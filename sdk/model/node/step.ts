import { type Static, Type } from "typebox";
import { Label, NodeId } from "../identifier.ts";
import { Retry } from "../policy.ts";
import { CallName, SecretName } from "../use.ts";

const closed = { additionalProperties: false };
export const SOURCE_BYTES = 262_144;

/**
 * A node that runs a script and yields one output. `needs` says what of the context the script can name; absent means that it may
 * reach for anything visible to it. `calls` and `secrets` are all that it may call and name, sorted; absent, none.
 */
export const StepNode = Type.Object(
  {
    kind: Type.Literal("step"),
    id: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    script: Type.Object(
      {
        source: Type.String(),
        needs: Type.Optional(Type.Object({ payload: Type.Boolean(), steps: Type.Array(NodeId, { uniqueItems: true }) }, closed)),
        calls: Type.Optional(Type.Array(CallName, { minItems: 1, maxItems: 256, uniqueItems: true })),
        secrets: Type.Optional(Type.Array(SecretName, { minItems: 1, maxItems: 64, uniqueItems: true })),
      },
      closed,
    ),
    retry: Type.Optional(Retry),
  },
  closed,
);
export type StepNode = Static<typeof StepNode>;
