import assert from "node:assert/strict";
import { test } from "node:test";
import { isThorough } from "@woml/model/testing";
import { check } from "./model/check.ts";
import { type Scenario, WINDOW_MS } from "./model/world.ts";
import { called } from "./play.ts";

const kinds = {
  pure: called("pure"),
  keyed: called("keyed", { effect: { windowMs: WINDOW_MS } }),
  reattachable: called("reattachable", { effect: { conclusiveNotFoundAfterMs: 50 } }),
  unproven: called("reattachable"),
  unsafe: called("unsafe"),
};
const trouble = { crash: 1, pause: 1, timeout: 1 };
const scenarios: Readonly<Record<string, Scenario>> = {
  "unsafe: crash, pause, answer lost": { operations: [kinds.unsafe], budget: trouble },
  "unsafe: taken over too early, host forgets": { operations: [kinds.unsafe], budget: { early: 1, forget: 1, drop: 1 } },
  "keyed: crash, pause, answer lost": { operations: [kinds.keyed], budget: trouble },
  "keyed: the window passes": { operations: [kinds.keyed], budget: { crash: 1, timeout: 1, expire: 1, drop: 1 } },
  "keyed: refused, and the window passes by halves": { operations: [kinds.keyed], budget: { deny: 1, half: 2, timeout: 1 } },
  "reattachable: crash, pause, answer lost": { operations: [kinds.reattachable], budget: trouble },
  "reattachable: taken over too early, host forgets": { operations: [kinds.reattachable], budget: { early: 1, forget: 1, drop: 1 } },
  "reattachable, absence never proof": { operations: [kinds.unproven], budget: { crash: 1, timeout: 1, drop: 1 } },
  "keyed, connections refused": { operations: [kinds.keyed], budget: { timeout: 1, refuse: 2 } },
  "reattachable, connections refused": { operations: [kinds.reattachable], budget: { timeout: 1, refuse: 2 } },
  "two operations and a retry": { operations: [kinds.unsafe, kinds.pure], throwsFirst: true, budget: { crash: 1, timeout: 1 } },
  "keyed, retried": { operations: [kinds.keyed, kinds.reattachable], throwsFirst: true, budget: { crash: 1, timeout: 1 } },
  "cancelled while it is under way": { operations: [kinds.keyed], budget: { ...trouble, cancel: 1 } },
  "reattachable, cancelled": { operations: [kinds.reattachable], budget: { crash: 1, timeout: 1, drop: 1, cancel: 1 } },
};
const spread: Readonly<Record<string, Scenario["budget"]>> = {
  "one that is cut off while it works": { cut: 1, hold: 1, crash: 1 },
  "one that gets a dispatch late": { sink: 1, cut: 1, timeout: 1 },
  "one that the next engine does not reach": { early: 1, cut: 1, hold: 1 },
  "one that gets it late from an engine that was taken over": { early: 1, sink: 1, hold: 1 },
  "one that ends while it has a dispatch": { hold: 1, sink: 1, forget: 1 },
  "one that is cut off from a run that is cancelled": { sink: 1, cut: 1, cancel: 1 },
};
const promising = called("keyed", { effect: { windowMs: 100_000 } });
const told = new Set<string>();
for (const [name, scenario] of Object.entries(scenarios))
  test(`every interleaving of ${name}: no effect twice, no end that is not true, and nothing is stuck`, (context) => {
    const { states, bad, stuck, told: types } = check(scenario);
    context.diagnostic(`${states} states`);
    for (const type of types) told.add(type);
    assert.deepEqual([...bad], []);
    assert.deepEqual(stuck, []);
  });

/** Of the other kinds the worlds of two hosts are walked with `npm run properties`. */
const walked = Object.entries(kinds).filter(([kind]) => isThorough || kind === "unsafe" || kind === "reattachable");
for (const [name, budget] of Object.entries(spread))
  for (const [kind, operation] of walked)
    test(`every interleaving of two hosts, ${name}, ${kind}: no effect twice, no end that is not true, and nothing is stuck`, (context) => {
      const { states, bad, stuck } = check({ operations: [operation], isSpread: true, budget });
      context.diagnostic(`${states} states`);
      assert.deepEqual([...bad], []);
      assert.deepEqual(stuck, []);
    });

test("the interleavings tell every story of operations but those that need several at once", () => {
  for (const type of ["operation_started", "operation_doubted", "operation_settled", "outcome_resolved", "stop_decided", "attempt_resumed"])
    assert.ok(told.has(type), type);
});

const teeth: Readonly<Record<string, Scenario>> = {
  "no fence at the host": { operations: [kinds.unsafe], budget: { pause: 1 }, fence: false },
  "a key forgotten earlier than promised": { operations: [promising], budget: { forget: 1, expire: 1 } },
  "an absence that is no proof": { operations: [kinds.reattachable], budget: { timeout: 1 }, liesAboutTime: true },
  "an engine that forgets what a host out of reach may do": {
    ...{ operations: [kinds.reattachable], budget: { sink: 1 }, isSpread: true, forgetsReach: true },
  },
  "an engine that says of what it sent that it had not": {
    ...{ operations: [kinds.unsafe], budget: { hold: 1, cut: 1 }, isSpread: true, deniesSending: true },
  },
  "a provider that looks at no key": { operations: [kinds.keyed], budget: { timeout: 1 }, looksAtNoKey: true },
};
for (const [name, scenario] of Object.entries(teeth))
  test(`the checker has teeth: with ${name} it finds the second effect`, () => {
    assert.ok(check(scenario).bad.has("key0 took effect twice"));
  });
