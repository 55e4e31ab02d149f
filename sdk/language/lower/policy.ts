import type { Policy } from "@woml/model";
import { countOf, rateOf, timeoutOf } from "../policy.ts";
import { childrenNamed, type Element, textOf } from "../tree.ts";
import type { Draft } from "./draft.ts";

/** What `<config>` says; undefined when there is none. */
export function lowerPolicy(workflow: Element, draft: Draft): Policy | undefined {
  const [config] = childrenNamed(workflow, "config");
  if (!config) return undefined;
  for (const { name, nameRange } of config.attributes.values()) draft.subjects.set(`policy:${name}`, nameRange);
  const timeoutMs = timeoutOf(textOf(config, "timeout") ?? "");
  const concurrency = countOf(textOf(config, "concurrency") ?? "");
  const rateLimit = rateOf(textOf(config, "rate-limit") ?? "");
  const queue = textOf(config, "queue");
  return {
    ...(timeoutMs !== null && { timeoutMs }),
    ...(concurrency !== null && { concurrency }),
    ...(rateLimit && { rateLimit }),
    ...(queue !== undefined && { queue }),
  };
}
