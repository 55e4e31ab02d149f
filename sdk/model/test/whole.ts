import type { Definition, Message } from "../index.ts";

export const DIGEST = `sha256:${"a".repeat(64)}`;
const script = () => ({ source: "return 1;" });

/**
 * Every kind of node once and a little more: a step of a reusable definition, a switch without results, a loop whose body holds a
 * choice, an approval with an empty arm, a fork with a joined branch and one that is not; and everything a definition can have around
 * them. Fresh each time, free to be changed.
 */
export function whole(): Definition {
  return {
    schemaVersion: 1,
    workflow: { id: "whole" },
    policy: { concurrency: 2, rateLimit: { count: 5, windowMs: 1_000 }, queue: "orders.slow" },
    uses: [{ alias: "http", capability: "http", range: "*" }],
    modules: [{ exports: ["gross", "net"], digest: DIGEST }],
    triggers: [
      { id: "go", kind: "manual" },
      { id: "hook", kind: "webhook", path: "/orders", schema: { type: "object" } },
      { id: "chat", kind: "slack", events: ["app-mention", "direct-message"], botToken: "BOT", appToken: "APP" },
    ],
    lifecycle: [
      {
        on: "step_failure",
        steps: ["a", "inner"],
        actions: [
          { kind: "script", script: { ...script(), needs: { payload: false, steps: ["inner", "a"] } } },
          { kind: "notify", notices: [{ provider: "telegram", chats: ["1"], botToken: "BOT", message: failureMessage() }] },
        ],
      },
      { on: "run_complete", actions: [{ kind: "script", script: { ...script(), calls: ["http.request"], secrets: ["KEY"] } }] },
    ],
    nodes: nodes(),
    edges: edges(),
    result: "loop",
  };
}

const failureMessage = (): Message => [
  { kind: "text", text: "failed: " },
  { kind: "reference", path: ["lifecycle", "failure", "code"] },
  { kind: "reference", path: ["steps", "a", "id"] },
];

function nodes(): Definition["nodes"] {
  return [
    {
      kind: "step",
      id: "a",
      script: { ...script(), modules: [{ alias: "tax", digest: DIGEST }] },
      reusable: {
        props: [
          { name: "amount", value: { kind: "reference", path: ["payload", "amount"] } },
          { name: "token", value: { kind: "secret", name: "TOKEN" } },
        ],
        onSuccess: [{ ...script(), needs: { payload: false, steps: ["a"] } }],
      },
    },
    {
      kind: "switch",
      id: "route:switch",
      choice: "route",
      value: ["steps", "a", "kind"],
      arms: [{ arm: "case-1", equals: "x" }],
      otherwise: "default",
    },
    { kind: "step", id: "x", script: script() },
    { kind: "step", id: "y", script: script() },
    { kind: "choice", id: "route" },
    {
      kind: "approval",
      id: "ok",
      choice: "ok:end",
      timeoutMs: 1_000,
      onTimeout: "reject",
      notices: [
        {
          provider: "custom",
          script: script(),
          reusable: { props: [{ name: "who", value: { kind: "reference", path: ["steps", "a"] } }] },
        },
      ],
    },
    { kind: "step", id: "yes", script: { ...script(), needs: { payload: false, steps: ["ok"] } } },
    { kind: "choice", id: "ok:end" },
    { kind: "fork", id: "f:fork", join: "f" },
    { kind: "step", id: "b1", script: script() },
    { kind: "step", id: "b2", script: script() },
    { kind: "join", id: "f", branches: ["first"] },
    loop(),
  ];
}

const loop = (): Definition["nodes"][number] => ({
  kind: "for-each",
  id: "loop",
  items: ["steps", "b1", "list"],
  concurrency: 2,
  body: {
    nodes: [
      { kind: "step", id: "inner", script: { ...script(), needs: { payload: false, steps: ["b1", "ok"] } } },
      { kind: "select", id: "pick:select", choice: "pick", arms: [{ arm: "when-1", test: ["item", "ready"] }], otherwise: "otherwise" },
      { kind: "step", id: "one", script: script() },
      { kind: "step", id: "two", script: script() },
      {
        kind: "choice",
        id: "pick",
        results: [
          { arm: "when-1", value: ["steps", "one"] },
          { arm: "otherwise", value: ["iteration", "index"] },
        ],
      },
    ],
    edges: [
      { from: "inner", to: "pick:select" },
      { from: "pick:select", to: "one", arm: "when-1" },
      { from: "pick:select", to: "two", arm: "otherwise" },
      { from: "one", to: "pick" },
      { from: "two", to: "pick" },
    ],
  },
  result: ["steps", "pick"],
});

const edges = (): Definition["edges"] => [
  { from: "a", to: "route:switch" },
  { from: "route:switch", to: "x", arm: "case-1" },
  { from: "route:switch", to: "y", arm: "default" },
  { from: "x", to: "route" },
  { from: "y", to: "route" },
  { from: "route", to: "ok" },
  { from: "ok", to: "yes", arm: "approved" },
  { from: "ok", to: "ok:end", arm: "rejected" },
  { from: "yes", to: "ok:end" },
  { from: "ok:end", to: "f:fork" },
  { from: "f:fork", to: "b1", arm: "first" },
  { from: "f:fork", to: "b2", arm: "second" },
  { from: "f:fork", to: "f" },
  { from: "b1", to: "f" },
  { from: "f", to: "loop" },
];
