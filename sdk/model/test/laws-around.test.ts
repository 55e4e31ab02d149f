import { type Case, hook, play, read, reusable, say } from "./cases.ts";
import { find } from "./find.ts";
import { DIGEST } from "./whole.ts";

const MESSAGE = "/lifecycle/0/actions/1/notices/0/message";

/** Laws of what stands around the flow: aliases, scripts, hooks, notices. */
const CASES: Record<string, readonly Case[]> = {
  "unique-aliases": [
    [
      "a script means two modules by an alias",
      (g) => find(g, "step", "a").script.modules?.push({ alias: "tax", digest: DIGEST }),
      "WOML_DUPLICATE_ALIAS /nodes/0/script/modules/1/alias",
    ],
    [
      "a script means a capability and a module by an alias",
      (g) => Object.assign(find(g, "step", "a").script, { calls: ["http.request"], modules: [{ alias: "http", digest: DIGEST }] }),
      "WOML_DUPLICATE_ALIAS /nodes/0/script/modules/0/alias",
    ],
  ],
  "unique-modules": [
    ["a module is there twice", (g) => g.modules?.push({ exports: ["f"], digest: DIGEST }), "WOML_DUPLICATE_MODULE /modules/1/digest"],
  ],
  "known-calls": [
    ["a script imports what is no module", (g) => delete g.modules, "WOML_UNKNOWN_ALIAS /nodes/0/script/modules/0"],
    ["a hook calls what is not used", (g) => delete g.uses, "WOML_UNKNOWN_ALIAS /lifecycle/1/actions/0/script/calls/0"],
  ],
  "known-contracts": [
    [
      "a step, what is reusable, an action, a capability",
      (g) => {
        Object.assign(find(g, "step", "a"), { contract: 2 });
        Object.assign(reusable(g), { contract: 3 });
        Object.assign(hook(g, 1).actions[0] ?? {}, { contract: 2 });
        Object.assign(g.uses?.[0] ?? {}, { contract: 2 });
      },
      "WOML_CONTRACT_UNSUPPORTED /lifecycle/1/actions/0/contract",
      "WOML_CONTRACT_UNSUPPORTED /nodes/0/contract",
      "WOML_CONTRACT_UNSUPPORTED /nodes/0/reusable/contract",
      "WOML_CONTRACT_UNSUPPORTED /uses/0/contract",
    ],
  ],
  bounded: [
    [
      "a script of a reusable's own lifecycle is too long",
      (g) => {
        reusable(g).onSuccess = [{ source: "x".repeat(262_145) }];
      },
      "WOML_SCRIPT_SOURCE_TOO_LARGE /nodes/0/reusable/onSuccess/0/source",
    ],
  ],
  "readable-triggers": [
    [
      "times, zones, paths and names that nobody can read",
      (g) => {
        const schedule = { kind: "schedule", onMissed: "skip" } as const;
        g.triggers = [
          { ...schedule, id: "seconds", cron: "* * * * * *", timezone: "UTC" },
          { ...schedule, id: "offset", cron: "0 9 * * *", timezone: "+02:00" },
          { ...schedule, id: "nowhere", cron: "0 9 * * 8", timezone: "Europe/Atlantis" },
          { ...schedule, id: "renamed", cron: "0 9 * * *", timezone: "US/Pacific" },
          { id: "above", kind: "webhook", path: "/orders/" },
          { id: "own", kind: "webhook", path: "/_woml/events" },
          { id: "said", kind: "signal", name: "Order placed" },
        ];
      },
      "WOML_SCHEDULE_CRON_INVALID /triggers/0/cron",
      "WOML_SCHEDULE_TIMEZONE_INVALID /triggers/1/timezone",
      "WOML_SCHEDULE_CRON_INVALID /triggers/2/cron",
      "WOML_SCHEDULE_TIMEZONE_INVALID /triggers/2/timezone",
      "WOML_WEBHOOK_PATH_INVALID /triggers/4/path",
      "WOML_WEBHOOK_PATH_INVALID /triggers/5/path",
      "WOML_EVENT_NAME_INVALID /triggers/6/name",
    ],
  ],
  "call-only": [
    [
      "an approval waits where only a workflow calls",
      (g) => {
        g.triggers = [];
      },
      "WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED /nodes/5",
    ],
  ],
  "lifecycle-hooks": [
    ["an event has two hooks", (g) => g.lifecycle?.push({ ...hook(g, 1) }), "WOML_INVALID_LIFECYCLE /lifecycle/2/on"],
    [
      "a hook of the run names steps",
      (g) => {
        hook(g, 1).steps = ["a"];
      },
      "WOML_INVALID_LIFECYCLE /lifecycle/1/steps",
    ],
    ["a hook names what is no step", (g) => hook(g, 0).steps?.push("loop"), "WOML_INVALID_LIFECYCLE /lifecycle/0/steps/2"],
  ],
  "notice-messages": [
    [
      "an approval's notice has a message",
      (g) => {
        for (const notice of find(g, "approval", "ok").notices ?? []) notice.message = [{ kind: "text", text: "?" }];
      },
      "WOML_INVALID_NOTIFICATION_GROUP /nodes/5/notices/0/message",
    ],
    [
      "a hook's notice has none",
      (g) => {
        hook(g, 1).actions = [{ kind: "notify", notices: [{ provider: "discord", channels: ["1"], botToken: "BOT" }] }];
      },
      "WOML_INVALID_NOTIFICATION_GROUP /lifecycle/1/actions/0/notices/0",
    ],
    [
      "a text is split",
      (g) => say(g, { kind: "text", text: "a" }, { kind: "text", text: "b" }),
      `WOML_INVALID_NOTIFICATION_GROUP ${MESSAGE}/1`,
    ],
  ],
  "message-paths": [
    ["a message reads an item", (g) => say(g, read("item", "id")), `WOML_INVALID_REFERENCE ${MESSAGE}/0/path`],
    ["a message reads a whole output", (g) => say(g, read("steps", "a")), `WOML_INVALID_REFERENCE ${MESSAGE}/0/path`],
    ["a message reads the whole payload", (g) => say(g, read("payload")), `WOML_INVALID_REFERENCE ${MESSAGE}/0/path`],
    ["a message reads what lifecycle does not have", (g) => say(g, read("lifecycle", "step")), `WOML_INVALID_REFERENCE ${MESSAGE}/0/path`],
    [
      "a message reads the failure of a start",
      (g) => Object.assign(hook(g, 0), { on: "step_start" }),
      `WOML_INVALID_REFERENCE ${MESSAGE}/1/path`,
    ],
    ["a message reads no node", (g) => say(g, read("steps", "nobody", "id")), `WOML_UNKNOWN_REFERENCE ${MESSAGE}/0/path`],
  ],
  "reusable-props": [
    [
      "a prop is given twice",
      (g) => reusable(g).props.push({ name: "token", value: { kind: "literal", text: "" } }),
      "WOML_INVALID_REUSABLE /nodes/0/reusable/props/2/name",
    ],
    [
      "scripts of what is reusable name secrets",
      (g) => {
        find(g, "step", "a").script.secrets = ["KEY"];
        reusable(g).onError = [{ source: "", secrets: ["KEY"] }];
      },
      "WOML_INVALID_REUSABLE /nodes/0/reusable/onError/0/secrets",
      "WOML_INVALID_REUSABLE /nodes/0/script/secrets",
    ],
  ],
};

play(CASES);
