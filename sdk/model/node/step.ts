import { type Static, Type } from "typebox";
import { Contract } from "../contract-number.ts";
import { Label, NodeId } from "../identifier.ts";
import { Retry } from "../policy.ts";
import { Reusable, Script } from "./script.ts";

/** A node that runs a script and yields one output. `reusable`: it was written as a tag of a reusable definition. */
export const StepNode = Type.Object(
  {
    kind: Type.Literal("step"),
    id: NodeId,
    name: Type.Optional(Label),
    description: Type.Optional(Label),
    script: Script,
    reusable: Type.Optional(Reusable),
    retry: Type.Optional(Retry),
    contract: Contract,
  },
  { additionalProperties: false },
);
export type StepNode = Static<typeof StepNode>;
