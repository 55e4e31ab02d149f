import type { Policy } from "@woml/model";
import { DAY_MS, durationMs } from "../duration.ts";
import { childrenNamed, type Element, textOf } from "../tree.ts";

/** What `<config>` says; undefined when it says nothing. */
export function lowerPolicy(workflow: Element): Policy | undefined {
  const [config] = childrenNamed(workflow, "config");
  const timeoutMs = durationMs((config && textOf(config, "timeout")) ?? "", 365 * DAY_MS);
  return timeoutMs === null ? undefined : { timeoutMs };
}
