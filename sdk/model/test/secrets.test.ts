import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition } from "../definition.ts";
import { secretNames } from "../secrets.ts";

const script = (...secrets: string[]) => ({ source: "", ...(secrets.length > 0 && { secrets }) });
const reusable = (name: string) => ({
  contract: 1,
  props: [
    { name: "key", value: { kind: "secret", name } },
    { name: "text", value: { kind: "literal", text: "SECRET" } },
  ],
});
const custom = (name: string) => ({ provider: "custom", script: script(), reusable: reusable(name) });

test("every secret that a workflow needs is named once: of scripts wherever they stand, props, triggers and notices", () => {
  const definition = {
    ...{ schemaVersion: 1, workflow: { id: "w" }, edges: [], result: "a" },
    triggers: [
      { id: "t", kind: "webhook", path: "/", secret: "HOOK", schema: { default: { secret: "NOT_THIS", secrets: ["NOR_THIS"] } } },
      { id: "s", kind: "signal", name: "a.b", secret: "SIGNAL" },
      { id: "g", kind: "manual" },
      { id: "c", kind: "slack", events: ["app-mention"], botToken: "BOT", appToken: "APP" },
      { id: "w", kind: "whatsapp", events: ["message"], phoneNumberId: "1", verifyToken: "VERIFY", appSecret: "APP_SECRET" },
    ],
    nodes: [
      { kind: "step", id: "a", contract: 1, script: script("STEP", "HOOK") },
      { kind: "step", id: "r", contract: 1, script: script(), reusable: reusable("PROP") },
      { kind: "for-each", id: "each", body: { nodes: [{ kind: "step", id: "b", contract: 1, script: script("BODY") }], edges: [] } },
      {
        ...{ kind: "approval", id: "ask", choice: "c" },
        notices: [{ provider: "telegram", chats: ["1"], botToken: "CHAT" }, custom("ASKED")],
      },
    ],
    lifecycle: [
      {
        on: "run_failure",
        actions: [
          { kind: "script", script: script("ACTION"), contract: 1 },
          { kind: "notify", notices: [custom("TOLD")], contract: 1 },
        ],
      },
    ],
  } as unknown as Definition;
  assert.deepEqual(secretNames(definition), [
    ...["ACTION", "APP", "APP_SECRET", "ASKED", "BODY", "BOT", "CHAT", "HOOK", "PROP", "SIGNAL", "STEP", "TOLD", "VERIFY"],
  ]);
});
