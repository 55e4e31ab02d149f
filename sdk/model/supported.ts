import type { TSchema } from "typebox";
import { SCHEMA_VERSION } from "./definition.ts";
import { ChoiceNode, SelectNode } from "./node/choice.ts";
import { OpenNode, ParallelNode } from "./node/parallel.ts";
import { StepNode } from "./node/step.ts";
import { Trigger } from "./trigger.ts";

/** The one table of what the engine can run today: kinds and their schemas. What is not in it is refused by name. */
export const SUPPORTED = {
  schemaVersions: [SCHEMA_VERSION],
  nodes: new Map<string, TSchema>([
    ["step", StepNode],
    ["select", SelectNode],
    ["choice", ChoiceNode],
    ["open", OpenNode],
    ["parallel", ParallelNode],
  ]),
  triggers: new Map<string, TSchema>([["manual", Trigger]]),
} as const;
