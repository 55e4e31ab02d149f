import type { Hook } from "@woml/model";
import type { Element } from "./tree.ts";

export type HookEvent = Hook["on"];

/** The hooks of a lifecycle, and what each is told of. */
export const HOOKS: ReadonlyMap<string, HookEvent> = new Map([
  ["on-start", "run_start"],
  ["on-step-start", "step_start"],
  ["on-step-success", "step_success"],
  ["on-step-failure", "step_failure"],
  ["on-step-complete", "step_complete"],
  ["on-success", "run_success"],
  ["on-error", "run_failure"],
  ["on-cancel", "run_cancel"],
  ["on-complete", "run_complete"],
]);

/** What an element that stands in a lifecycle is told of; undefined for what is no hook. */
export const eventOf = ({ name, parent }: Element): HookEvent | undefined => (parent?.name === "lifecycle" ? HOOKS.get(name) : undefined);

export const isOfStep = (event: HookEvent): boolean => event.startsWith("step_");

/** Whether an element stands in the `<notify>` of a hook, and so says what is told. */
export const isOfHook = ({ parent }: Element): boolean =>
  parent?.name === "notify" && parent.parent !== null && eventOf(parent.parent) !== undefined;
