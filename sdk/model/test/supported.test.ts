import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Definition, type Node, type Notice, type Trigger, unsupported } from "../index.ts";
import { FEATURES, type Feature, featuresIn } from "../supported.ts";
import { arbitraryDefinition } from "./definitions.ts";
import { find, step } from "./find.ts";
import { accepted, flow } from "./given.ts";
import { DIGEST, whole } from "./whole.ts";

/** The smallest definition with a step, changed like this, has the feature there and no other. */
type Case = readonly [change: (given: Definition) => void, path: string, subject: string];

const smallest = (): Definition => ({
  schemaVersion: 1,
  workflow: { id: "small" },
  triggers: [{ id: "go", kind: "manual" }],
  nodes: [step("s")],
  edges: [],
  result: "s",
});
const assign = (change: Partial<Definition>) => (given: Definition) => void Object.assign(given, change);
const trigger = (one: Definition["triggers"][number]): Case => [(g) => void g.triggers.push(one), "/triggers/1", `trigger:${one.id}`];
const uses = (capability: string): Case => [assign({ uses: [{ alias: "own", capability, range: "*" }] }), "/uses/0", "use:own"];
const add =
  (...nodes: Node[]) =>
  (given: Definition) => {
    given.nodes.push(...nodes);
    for (const node of nodes) {
      if (node.kind === "parallel")
        given.edges.push(
          { from: "z:open", to: "z1" },
          { from: "z:open", to: "z2" },
          { from: "z1", to: node.id },
          { from: "z2", to: node.id },
        );
      if (node.kind !== "choice") continue;
      given.edges.push({ from: "z:opener", to: "z1", arm: "a" }, { from: "z:opener", to: "z2", arm: "b" });
      given.edges.push({ from: "z1", to: node.id }, { from: "z2", to: node.id });
    }
  };
const pair = [step("z1"), step("z2")];
const group = (change: object): ((given: Definition) => void) =>
  add({ kind: "open", id: "z:open", parallel: "z" }, ...pair, { kind: "parallel", id: "z", ...change });

const CASES: Record<
  Exclude<Feature, "approval" | "slack" | "telegram" | "discord" | "whatsapp" | "custom-provider" | "lifecycle">,
  Case
> = {
  "call-only": [assign({ triggers: [] }), "/triggers", "workflow"],
  "choose-without-id": [
    add({ kind: "select", id: "z:opener", choice: "z", arms: [{ arm: "a", test: ["payload"] }], otherwise: "b" }, ...pair, {
      kind: "choice",
      id: "z",
    }),
    "/nodes/1",
    "node:z",
  ],
  switch: [
    add({ kind: "switch", id: "z:opener", choice: "z", value: ["payload"], arms: [{ arm: "a", equals: "x" }], otherwise: "b" }, ...pair, {
      kind: "choice",
      id: "z",
    }),
    "/nodes/4",
    "node:z:opener",
  ],
  "parallel-concurrency": [group({ concurrency: 1 }), "/nodes/1", "node:z"],
  "parallel-wait-all": [group({ onError: "wait-all" }), "/nodes/1", "node:z"],
  fork: [
    (given) => {
      add({ kind: "fork", id: "z:fork", join: "z" }, step("z1"), { kind: "join", id: "z", branches: [] })(given);
      given.edges.push({ from: "z:fork", to: "z1", arm: "one" }, { from: "z:fork", to: "z" });
    },
    "/nodes/3",
    "node:z:fork",
  ],
  "for-each": [add({ kind: "for-each", id: "z", items: ["payload"], body: { nodes: [step("z1")], edges: [] } }), "/nodes/1", "node:z"],
  "reusable-step": [add({ ...step("z"), reusable: { props: [] } }), "/nodes/1", "node:z"],
  modules: [
    assign({ modules: [{ exports: ["net"], digest: `sha256:${"0".repeat(64)}` }] }),
    "/modules/0",
    `module:sha256:${"0".repeat(64)}`,
  ],
  concurrency: [assign({ policy: { concurrency: 1 } }), "/policy/concurrency", "policy:concurrency"],
  "rate-limit": [assign({ policy: { rateLimit: { count: 1, windowMs: 1 } } }), "/policy/rateLimit", "policy:rate-limit"],
  queue: [assign({ policy: { queue: "slow" } }), "/policy/queue", "policy:queue"],
  webhook: trigger({ id: "in", kind: "webhook", path: "/" }),
  schedule: trigger({ id: "at", kind: "schedule", cron: "* * * * *", timezone: "UTC", onMissed: "skip" }),
  interval: trigger({ id: "every", kind: "interval", everyMs: 1_000, onMissed: "skip" }),
  signal: trigger({ id: "said", kind: "signal", name: "order.placed" }),
  state: uses("state"),
  events: uses("events"),
  workflows: uses("workflows"),
};
const NOTICES: Record<"slack" | "telegram" | "discord" | "whatsapp" | "custom-provider", Notice> = {
  slack: { provider: "slack", channels: ["#a"], botToken: "BOT", appToken: "APP" },
  telegram: { provider: "telegram", chats: ["1"], botToken: "BOT" },
  discord: { provider: "discord", channels: ["1"], botToken: "BOT" },
  whatsapp: { provider: "whatsapp", recipients: ["1"], accessToken: "A", phoneNumberId: "1", template: "t", language: "en" },
  "custom-provider": { provider: "custom", script: { source: "" }, reusable: { props: [] } },
};
const TRIGGERS: Record<"slack" | "telegram" | "discord" | "whatsapp", Trigger> = {
  slack: { id: "chat", kind: "slack", events: ["app-mention"], botToken: "BOT", appToken: "APP" },
  telegram: { id: "chat", kind: "telegram", events: ["message"], botToken: "BOT" },
  discord: { id: "chat", kind: "discord", events: ["app-mention"], botToken: "BOT" },
  whatsapp: { id: "chat", kind: "whatsapp", events: ["message"], phoneNumberId: "123456", verifyToken: "V", appSecret: "S" },
};

const seen = (given: Definition): readonly string[] =>
  featuresIn(accepted(given)).map(({ feature, path, subject }) => `${feature} ${path} ${subject}`);

for (const [feature, [change, path, subject]] of Object.entries(CASES)) {
  test(`${feature} is found at ${path}`, () => {
    const given = smallest();
    change(given);
    assert.deepEqual(seen(given), [`${feature} ${path} ${subject}`]);
  });
}

for (const [feature, notice] of Object.entries(NOTICES)) {
  test(`${feature} is found wherever an approval or a hook tells it`, () => {
    const given = smallest();
    given.nodes.push(
      { kind: "approval", id: "ok", choice: "ok:end", notices: [{ ...notice }, { ...notice }] },
      {
        kind: "choice",
        id: "ok:end",
      },
    );
    given.edges.push({ from: "ok", to: "ok:end", arm: "approved" }, { from: "ok", to: "ok:end", arm: "rejected" });
    assert.deepEqual(seen(given), [
      "approval /nodes/0 node:ok",
      `${feature} /nodes/0/notices/0 notice:ok:1`,
      `${feature} /nodes/0/notices/1 notice:ok:2`,
    ]);
    const told: Notice = { ...notice, message: [{ kind: "text", text: "!" }] };
    assert.deepEqual(seen({ ...smallest(), lifecycle: [{ on: "run_start", actions: [{ kind: "notify", notices: [told] }] }] }), [
      "lifecycle /lifecycle/0 hook:run_start",
      `${feature} /lifecycle/0/actions/0/notices/0 notice:hook:run_start:1:1`,
    ]);
  });
}

for (const [feature, one] of Object.entries(TRIGGERS)) {
  test(`${feature} is found where it starts runs`, () => {
    assert.deepEqual(seen({ ...smallest(), triggers: [one] }), [`${feature} /triggers/0 trigger:chat`]);
  });
}

test("every feature has a case here, and what is shown of it is written as authors write it", () => {
  assert.deepEqual(Object.keys(FEATURES).sort(), [...Object.keys(CASES), ...Object.keys(NOTICES), "approval", "lifecycle"].sort());
  assert.equal(new Set(Object.values(FEATURES)).size, Object.keys(FEATURES).length);
});

test("a definition with everything names all of it, in its order; one without gives nothing", () => {
  const found = featuresIn(accepted(whole())).map(({ feature, subject }) => `${feature} ${subject}`);
  assert.deepEqual(found, [
    "concurrency policy:concurrency",
    "rate-limit policy:rate-limit",
    "queue policy:queue",
    `modules module:${DIGEST}`,
    "webhook trigger:hook",
    "slack trigger:chat",
    "lifecycle hook:step_failure",
    "telegram notice:hook:step_failure:2:1",
    "lifecycle hook:run_complete",
    "reusable-step node:a",
    "fork node:f:fork",
    "for-each node:loop",
    "approval node:ok",
    "custom-provider notice:ok:1",
    "switch node:route:switch",
  ]);
  assert.deepEqual(unsupported(accepted(flow())), []);
  fc.assert(fc.property(arbitraryDefinition, (definition) => assert.deepEqual(unsupported(definition), [])));
});

test("what is not run is told, and nothing else", () => {
  const given = whole();
  const told = unsupported(accepted(given));
  const all = featuresIn(accepted(given));
  assert.ok(told.length > 0 && told.every((one) => all.some(({ subject }) => subject === one.subject)));
  for (const feature of ["fork", "for-each", "approval", "switch", "webhook"] as const)
    assert.ok(!told.some((one) => one.feature === feature), feature);
  for (const feature of ["slack"] as const)
    assert.ok(
      told.some((one) => one.feature === feature),
      feature,
    );
});

test("what stands in the body of a loop is found there", () => {
  const given = whole();
  const inner = find(given, "step", "inner");
  inner.reusable = { props: [] };
  const found = featuresIn(accepted(given)).find(({ subject }) => subject === "node:inner");
  assert.match(found?.path ?? "", /^\/nodes\/\d+\/body\/nodes\/0$/);
});
