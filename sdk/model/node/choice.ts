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

/** Opens a choice by a text: the arm whose text equals `value` exactly, else `otherwise`. A value that is no text fails the run. */
export const SwitchNode = Type.Object(
  {
    kind: Type.Literal("switch"),
    id: NodeId,
    choice: NodeId,
    value: Reference,
    arms: Type.Array(Type.Object({ arm: LocalId, equals: Type.String({ minLength: 1 }) }, closed), { minItems: 1 }),
    otherwise: LocalId,
  },
  closed,
);
export type SwitchNode = Static<typeof SwitchNode>;

/**
 * Ends a choice that a select, a switch or an approval opened. With `results` its output is the value that the selected arm names;
 * without, it has none.
 */
export const ChoiceNode = Type.Object(
  {
    kind: Type.Literal("choice"),
    id: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    results: Type.Optional(Type.Array(Type.Object({ arm: LocalId, value: Reference }, closed), { minItems: 2 })),
  },
  closed,
);
export type ChoiceNode = Static<typeof ChoiceNode>;
