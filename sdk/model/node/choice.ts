import { type Static, Type } from "typebox";
import { Label, LocalId, NodeId } from "../identifier.ts";
import { Reference } from "../reference.ts";

const closed = { additionalProperties: false };

/** Opens a choice: tests are tried in order, the first that is `true` selects its arm, else `otherwise`. */
export const SelectNode = Type.Object(
  {
    kind: Type.Literal("select"),
    id: NodeId,
    choice: NodeId,
    arms: Type.Array(Type.Object({ arm: LocalId, test: Reference }, closed), { minItems: 1 }),
    otherwise: LocalId,
  },
  closed,
);
export type SelectNode = Static<typeof SelectNode>;

/** Names of all arms, `otherwise` last. */
export const armsOf = (select: SelectNode): readonly string[] => [...select.arms.map(({ arm }) => arm), select.otherwise];

/** Ends a choice: its output is the value that the selected arm names. */
export const ChoiceNode = Type.Object(
  {
    kind: Type.Literal("choice"),
    id: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    results: Type.Array(Type.Object({ arm: LocalId, value: Reference }, closed), { minItems: 2 }),
  },
  closed,
);
export type ChoiceNode = Static<typeof ChoiceNode>;
