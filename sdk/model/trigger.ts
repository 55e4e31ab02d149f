import { type Static, Type } from "typebox";
import { LocalId } from "./identifier.ts";

/** What may start a run. */
export const Trigger = Type.Object({ id: LocalId, kind: Type.Literal("manual") }, { additionalProperties: false });
export type Trigger = Static<typeof Trigger>;
