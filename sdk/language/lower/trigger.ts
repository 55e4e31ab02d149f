import type { Trigger } from "@woml/model";
import { childrenNamed, type Element } from "../tree.ts";
import { required } from "./attribute.ts";

export const lowerTriggers = (workflow: Element): Trigger[] =>
  childrenNamed(workflow, "triggers").flatMap((triggers) =>
    childrenNamed(triggers, "manual").map((manual) => ({ id: required(manual, "id"), kind: "manual" as const })),
  );
