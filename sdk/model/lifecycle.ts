import { type Static, Type } from "typebox";
import { Contract } from "./contract-number.ts";
import { distinct } from "./distinct.ts";
import { NodeId } from "./identifier.ts";
import { Notice } from "./node/notice.ts";
import { Script } from "./node/script.ts";

const closed = { additionalProperties: false };

const HookEvent = Type.Union([
  Type.Literal("run_start"),
  Type.Literal("step_start"),
  Type.Literal("step_success"),
  Type.Literal("step_failure"),
  Type.Literal("step_complete"),
  Type.Literal("run_success"),
  Type.Literal("run_failure"),
  Type.Literal("run_cancel"),
  Type.Literal("run_complete"),
]);

const Action = Type.Union([
  Type.Object({ kind: Type.Literal("script"), script: Script, contract: Contract }, closed),
  Type.Object({ kind: Type.Literal("notify"), notices: Type.Array(Notice, { minItems: 1 }), contract: Contract }, closed),
]);

/**
 * What is done when something has happened in a run. It observes: nothing it does changes an output, a route or the outcome. `steps`
 * (sorted) says of which steps, for events of steps; absent, of all.
 */
export const Hook = Type.Object(
  {
    on: HookEvent,
    steps: Type.Optional(distinct(Type.Array(NodeId, { minItems: 1 }))),
    actions: Type.Array(Action, { minItems: 1 }),
  },
  closed,
);
export type Hook = Static<typeof Hook>;
