import assert from "node:assert/strict";
import { test } from "node:test";
import { yaml } from "../yaml.ts";
import { platform, refusal } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const none = {
  url: null,
  signal: null,
  cron: null,
  timezone: null,
  everyMs: null,
  onMissed: null,
  secrets: [],
  setting: null,
  nextFires: [],
  lastDelivery: null,
};
const of = (id: string, kind: string, own: object) => ({
  ...none,
  id,
  kind,
  workflow: "shop",
  version: "ver_1",
  since: "2026-12-01T00:00:00.000Z",
  ...own,
});
const FIRES = ["2026-12-02T07:30:00.000Z", "2026-12-03T07:30:00.000Z"];
const ALL = [
  of("by-hand", "manual", {}),
  of("each", "interval", { everyMs: 5_400_000, nextFires: FIRES }),
  of("in", "webhook", {
    url: "http://h/t/demo/hooks/in",
    lastDelivery: { outcome: "refused", code: "WOML_TRIGGER_UNAUTHORIZED", at: FIRES[0], run: null },
    secrets: ["OLD"],
    setting: { verification: { scheme: "github", secrets: ["OLD"] } },
  }),
  of("nightly", "schedule", { cron: "30 2 * * *", timezone: "America/New_York", nextFires: FIRES, setting: { catchUp: 3 } }),
  of("told", "signal", { signal: "order.paid" }),
  of("tolled", "signal", { signal: "order.paid", url: "http://h/t/demo/events/order.paid", secrets: ["OLD"] }),
];
const page = (items: readonly object[]) => ({ edges: items.map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: null } });
const WORKFLOWS = page([
  { id: "shop", name: "Shop", active: { id: "ver_1" } },
  { id: "old", name: null, active: null },
]);

test("triggers: what starts each, when it comes next, and what is set for it", async (t) => {
  const { place, asked } = await platform(t, { triggers: page(ALL) });
  const said = await womlHere(t, folderWith(t, {}), ["triggers", "shop", ...place]);
  assert.equal(said.code, 0);
  assert.deepEqual(
    said.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
    [
      ["WORKFLOW", "TRIGGER", "KIND", "NEXT", "LAST", "SET", "STARTED BY"],
      ["shop", "by-hand", "manual", "a person, or the API"],
      ["shop", "each", "interval", FIRES[0], "every 90m"],
      ["shop", "in", "webhook", `${FIRES[0]} refused`, "verification", "POST http://h/t/demo/hooks/in"],
      ["shop", "nightly", "schedule", FIRES[0], "catchUp", "30 2 * * * America/New_York"],
      ["shop", "told", "signal", "order.paid"],
      ["shop", "tolled", "signal", "order.paid, POST http://h/t/demo/events/order.paid"],
    ],
  );
  assert.deepEqual(asked[0]?.variables, { first: 100, after: null, workflow: "shop" });
});

test("triggers and workflows as JSON and as YAML", async (t) => {
  const { place } = await platform(t, { triggers: page(ALL.slice(0, 1)), workflows: WORKFLOWS });
  const here = folderWith(t, {});
  assert.deepEqual(JSON.parse((await womlHere(t, here, ["triggers", "-o", "json", ...place])).stdout), ALL.slice(0, 1));
  const said = await womlHere(t, here, ["workflows", "-o", "yaml", ...place]);
  assert.equal(said.stdout, "- id: shop\n  name: Shop\n  active: ver_1\n- id: old\n  name: null\n  active: null\n");
  assert.match((await womlHere(t, here, ["workflows", ...place])).stdout, /^WORKFLOW +ACTIVE +NAME\nshop +ver_1 +Shop\nold +\(none\)\n$/);
});

for (const [args, setting] of [
  [["in", "--verify", "stripe", "--secret", "NEW", "--secret", "OLD"], { verification: { scheme: "stripe", secrets: ["NEW", "OLD"] } }],
  [
    ["in", "--verify", "hmac", "--header", "x-sig", "--secret", "A"],
    { verification: { scheme: "hmac", header: "x-sig", algorithm: "sha256", encoding: "hex", secrets: ["A"] } },
  ],
  [["in", "--verify", "none"], null],
  [["in", "--clear"], null],
  [["nightly", "--repeated-hour", "once"], { catchUp: 3, repeatedHour: "once" }],
  [["nightly", "--catch-up", "24"], { catchUp: 24 }],
] as const)
  test(`triggers set shop ${args.join(" ")}`, async (t) => {
    const { place, asked } = await platform(t, {
      triggers: page(ALL),
      setTrigger: { trigger: of(args[0], "webhook", { setting }) },
      secrets: [],
    });
    const said = await womlHere(t, folderWith(t, {}), ["triggers", "set", "shop", ...args, ...place]);
    assert.deepEqual([said.code, said.stderr], [0, ""]);
    const input = asked.find(({ field }) => field === "setTrigger")?.variables.input;
    assert.deepEqual(input, { workflow: "shop", trigger: args[0], setting });
  });

for (const args of [
  ["in"],
  ["in", "--clear", "--catch-up", "1"],
  ["in", "--secret", "A"],
  ["in", "--verify", "github"],
  ["in", "--verify", "github", "--secret", "A", "--header", "x"],
  ["in", "--verify", "hmac", "--secret", "A"],
  ["in", "--verify", "none", "--secret", "A"],
  ["in", "--catch-up", "some"],
  ["in", "--catch-up", "0"],
  ["in", "--catch-up", "1001"],
  ["in", "--verify", "basic", "--secret", "A"],
])
  test(`triggers set shop ${args.join(" ")} is a mistake of whoever typed it`, async (t) => {
    const { place, asked } = await platform(t, { triggers: page(ALL) });
    const said = await womlHere(t, folderWith(t, {}), ["triggers", "set", "shop", ...args, ...place]);
    assert.deepEqual([said.code, said.stderr.split(":")[0]], [2, "WOML_CLI_ARGUMENTS_INVALID"]);
    assert.ok(!asked.some(({ field }) => field === "setTrigger"));
  });

test("a secret that is not set yet is said, and so is a trigger that is not active", async (t) => {
  const setTrigger = { trigger: of("in", "webhook", { secrets: ["NEW"], setting: {} }) };
  const named = await platform(t, { triggers: page(ALL), setTrigger, secrets: [] });
  const set = ["triggers", "set", "shop", "in", "--verify", "github", "--secret", "NEW"];
  assert.match((await womlHere(t, folderWith(t, {}), [...set, ...named.place])).stderr, /^Not set yet: NEW/);
  const absent = await platform(t, { triggers: page([]), setTrigger: { trigger: null } });
  assert.match((await womlHere(t, folderWith(t, {}), [...set, ...absent.place])).stderr, /no version that has this trigger is active/);
});

test("workflows activate and deactivate say what is active, and what is refused by its code", async (t) => {
  const workflow = { id: "shop", name: null, active: { id: "ver_1" } };
  const { place, asked } = await platform(t, {
    activate: { changed: false, workflow },
    deactivate: refusal("WOML_WORKFLOW_NOT_FOUND", "there is no workflow x"),
  });
  const said = await womlHere(t, folderWith(t, {}), ["workflows", "activate", "ver_1", "-o", "json", ...place]);
  assert.deepEqual([said.code, JSON.parse(said.stdout), said.stderr], [0, { ...workflow, active: "ver_1" }, "It was active before.\n"]);
  assert.deepEqual(asked[0]?.variables.input, { version: "ver_1" });
  const refused = await womlHere(t, folderWith(t, {}), ["workflows", "deactivate", "x", ...place]);
  assert.deepEqual([refused.code, refused.stderr], [1, "WOML_WORKFLOW_NOT_FOUND: there is no workflow x\n"]);
});

test("YAML: texts that a reader could take for something else stand in quotes, and nothing steers the terminal", () => {
  const value = {
    a: ["yes", "null", "1", "a: b", "- x", "", "ver_1", "x\ny", "\u0007\u202e"],
    "b c": { d: [], e: {}, f: [[1], { g: true }] },
  };
  assert.equal(
    yaml(value),
    [
      'a:\n  - "yes"\n  - "null"\n  - "1"\n  - "a: b"\n  - "- x"\n  - ""\n  - ver_1\n  - "x\\ny"\n  - "\\u0007\\u202e"',
      '"b c":\n  d: []\n  e: {}\n  f:\n    - - 1\n    - g: true',
    ].join("\n"),
  );
});
