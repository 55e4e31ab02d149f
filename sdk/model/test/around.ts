import type { Definition } from "../index.ts";

/** What stands around a flow: triggers, hooks, modules and a policy, some of each by `pick`. */
export function around(definition: Definition, pick: number): Definition {
  const steps = definition.nodes.flatMap((node) => (node.kind === "step" ? node.id : []));
  const has = (bit: number): boolean => ((pick >> bit) & 1) === 1;
  return {
    ...definition,
    policy: { ...definition.policy, ...(has(0) && { concurrency: 1 + pick }), ...(has(1) && { queue: "slow.lane" }) },
    ...(has(2) && { modules: [{ exports: ["net", "gross"], digest: `sha256:${"c".repeat(64)}` }] }),
    triggers: [
      ...definition.triggers,
      { id: "chat", kind: "discord", events: ["direct-message", "app-mention"], channels: ["2", "1"], botToken: "BOT" },
      ...(has(3) ? [{ id: "hook", kind: "webhook" as const, path: `/orders/${pick}` }] : []),
    ],
    lifecycle: [
      { on: "run_complete", actions: [{ kind: "script", script: { source: "", secrets: ["B", "A"] } }] },
      ...(has(4) ? [{ on: "step_success" as const, ...(has(5) && { steps: steps.slice(0, 3).reverse() }), actions: [tell(steps)] }] : []),
    ],
  };
}

type Action = NonNullable<Definition["lifecycle"]>[number]["actions"][number];
const tell = ([first = ""]: readonly string[]): Action => ({
  kind: "notify",
  notices: [
    { provider: "telegram", chats: ["2", "1"], botToken: "BOT", message: [{ kind: "reference", path: ["steps", first, "id"] }] },
    { provider: "discord", channels: ["1"], botToken: "BOT", message: [{ kind: "reference", path: ["lifecycle", "step", "attempts"] }] },
  ],
});
