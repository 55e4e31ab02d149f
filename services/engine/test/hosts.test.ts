import assert from "node:assert/strict";
import { it } from "node:test";
import type { RunKey } from "@woml/run";
import { OUT_OF_REACH_MS } from "../bounds.ts";
import { Hosts } from "./hosts-double.ts";
import { answered } from "./provider-double.ts";
import { call, Shop } from "./shop.ts";
import { EPOCH } from "./stage.ts";

const CLASSES = ["quote", "charge", "transfer", "refund"] as const;
const LEASE_MS = 15_000;
const TIMEOUT_MS = 10_000;

/** A shop whose plugin runs in the hosts A and B; what was done is counted by its provider. */
class Spread extends Shop {
  readonly doors: Hosts = new Hosts(this.time, () => EPOCH + Math.floor(this.time.now));
  /** Which host performed what try. */
  readonly done: string[] = [];

  constructor(...ids: readonly string[]) {
    super();
    this.hosts = this.doors;
    for (const id of ids) this.doors.open(id);
    this.doors.act = async (dispatch, host) => {
      this.done.push(`${host} ${dispatch.try}`);
      const result = this.provider.land(dispatch);
      await this.time.sleep(this.answerMs);
      return answered(result);
    };
    this.doors.find = async (dispatch) => this.provider.find(dispatch);
  }
  calls(operation: string): RunKey {
    this.play("a", (talk) => call(talk, operation));
    return this.ask(this.sell("a"));
  }
  /** Of call 1: which events, each with its host, reason or outcome. */
  story(key: RunKey): readonly string[] {
    return this.run(key).events.flatMap(({ type, data }) => {
      if (type === "operation_started") return [`started ${data.try} ${data.host}`];
      if (type === "operation_doubted") return [`${data.reason} ${data.try}${data.runsUntil === undefined ? "" : " out of reach"}`];
      return type === "operation_settled" ? [`${data.outcome.status} ${data.try}`] : [];
    });
  }
}

it("a dispatch goes to the host that its start names", async () => {
  const shop = new Spread("A", "B");
  await shop.start();
  const key = shop.calls("refund");
  await shop.wait(1_000);
  assert.deepEqual([shop.story(key), shop.done], [["started 1 A", "succeeded 1"], ["A 1"]]);
});

it("D21: a host that is gone before it was given anything: another is given the next try, at once, whatever the class", async () => {
  for (const operation of CLASSES) {
    const shop = new Spread("A", "B");
    shop.doors.isFickle = true;
    await shop.start();
    const key = shop.calls(operation);
    await shop.wait(1);
    shop.doors.isFickle = false;
    shop.doors.open("C");
    await shop.wait(100);
    const story = shop.story(key);
    assert.deepEqual([story.at(0), story.at(1), story.at(-1)?.startsWith("succeeded")], ["started 1 A", "unsent 1", true], operation);
    assert.deepEqual([shop.done.length, shop.provider.doubled], [1, []]);
  }
});

it("D21: with no host at all it waits; the first that is there gets it", async () => {
  const shop = new Spread("A");
  shop.doors.end("A");
  await shop.start();
  const key = shop.calls("refund");
  await shop.wait(4_000);
  assert.deepEqual(shop.story(key), ["started 1 "]);
  shop.doors.open("B");
  await shop.wait(1_500);
  assert.deepEqual([shop.story(key), shop.done], [["started 1 ", "unsent 1", "started 2 B", "succeeded 2"], ["B 2"]]);
});

it("D21: and if none comes in the operation's time, it could not be begun", async () => {
  const shop = new Spread("A");
  shop.doors.end("A");
  await shop.start();
  const key = shop.calls("refund");
  await shop.wait(TIMEOUT_MS + 2_000);
  assert.deepEqual([shop.story(key), shop.code(key)], [["started 1 ", "failed 1"], "WOML_OPERATION_UNAVAILABLE"]);
});

it("O8: the next engine asks the very host that has it, and is given its answer", async () => {
  for (const operation of CLASSES) {
    const shop = new Spread("A", "B");
    shop.answerMs = 5_000;
    const first = await shop.mortal();
    const key = shop.calls(operation);
    await shop.wait(1_000);
    await shop.replace(first);
    await shop.wait(10_000);
    assert.deepEqual([shop.story(key), shop.done], [["started 1 A", "succeeded 1"], ["A 1"]], operation);
  }
});

it("O8: what no host was there for was dispatched to none: the next engine says so without asking", async () => {
  const shop = new Spread("A");
  shop.doors.end("A");
  const first = await shop.mortal();
  const key = shop.calls("refund");
  await shop.wait(1_000);
  shop.doors.open("B");
  await shop.replace(first);
  await shop.wait(1_000);
  assert.deepEqual([shop.story(key), shop.done], [["started 1 ", "unsent 1", "started 2 B", "succeeded 2"], ["B 2"]]);
});

it("O8: a log of one machine names no host, so none is asked: lost when the old lease is over, as on one machine", async () => {
  const shop = new Spread("A", "B");
  shop.hosts = null;
  shop.answerMs = 60_000;
  const first = await shop.mortal();
  const key = shop.calls("charge");
  await shop.wait(1_000);
  shop.answerMs = 1;
  shop.hosts = shop.doors;
  await shop.replace(first);
  await shop.wait(13_000);
  assert.deepEqual(shop.story(key), ["started 1 undefined"], "the old lease still runs");
  await shop.wait(3_000);
  assert.deepEqual(shop.story(key), ["started 1 undefined", "started 2 A", "succeeded 2"]);
});

it("O8: where there is but one host, it is not asked about what went to one of several", async () => {
  const shop = new Spread("A", "B");
  shop.answerMs = 60_000;
  const first = await shop.mortal();
  const key = shop.calls("refund");
  await shop.wait(1_000);
  shop.hosts = null;
  await shop.replace(first);
  await shop.wait(LEASE_MS + TIMEOUT_MS - 100);
  assert.deepEqual(shop.story(key), ["started 1 A"]);
  await shop.wait(2_000);
  assert.deepEqual(shop.story(key), ["started 1 A", "lost 1 out of reach", "unknown 1"]);
});

it("O9: a host that is out of reach for a moment is waited for, and asked", async () => {
  for (const operation of CLASSES.slice(1)) {
    const shop = new Spread("A", "B");
    shop.answerMs = 3_000;
    const first = await shop.mortal();
    const key = shop.calls(operation);
    await shop.wait(1_000);
    shop.doors.cut("A");
    await shop.replace(first);
    await shop.wait(OUT_OF_REACH_MS - 1_500);
    shop.doors.back("A");
    await shop.wait(2_000);
    assert.deepEqual([shop.story(key), shop.done], [["started 1 A", "succeeded 1"], ["A 1"]], operation);
  }
});

it("O9: a keyed one goes on beside its host after a while, under its key; nothing is done twice", async () => {
  const shop = new Spread("A", "B");
  shop.answerMs = 3_000;
  const first = await shop.mortal();
  const key = shop.calls("charge");
  await shop.wait(1_000);
  shop.doors.cut("A");
  await shop.replace(first);
  await shop.wait(OUT_OF_REACH_MS + 500);
  assert.deepEqual(shop.story(key), ["started 1 A", "lost 1 out of reach", "started 2 B"]);
  await shop.wait(5_000);
  assert.deepEqual([shop.run(key).status, shop.done, shop.provider.doubled], ["succeeded", ["A 1", "B 2"], []]);
});

it("O9, D12: a reattachable one that its provider does not know is performed again only when its host has stopped, and can land nothing", async () => {
  const shop = new Spread("A", "B");
  const first = await shop.mortal();
  // The engine that gives it to its host is cut off from it with it, so that nobody knows whether it has come in.
  shop.doors.act = async () => new Promise(() => undefined);
  const key = shop.calls("transfer");
  await shop.wait(1_000);
  shop.doors.cut("A");
  shop.doors.act = async (dispatch, host) => {
    shop.done.push(`${host} ${dispatch.try}`);
    return answered(shop.provider.land(dispatch));
  };
  const began = shop.time.now;
  await shop.replace(first);
  await shop.wait(OUT_OF_REACH_MS + 1_000);
  const doubted = shop.operation(key, "a");
  const runsUntil = (doubted?.runsUntil ?? 0) - EPOCH;
  assert.ok(runsUntil >= began + LEASE_MS + TIMEOUT_MS, `${runsUntil} is after the old lease and the operation's time`);
  assert.deepEqual([doubted?.status, doubted?.doubt?.reason], ["doubted", "not_found"]);
  await shop.wait(runsUntil + 20_000 - shop.time.now - 100);
  assert.deepEqual(shop.done, [], "its host may have it until then, and its request may land");
  await shop.wait(1_000);
  assert.deepEqual([shop.run(key).status, shop.done, shop.story(key).at(-1)], ["succeeded", ["B 2"], "succeeded 2"]);
});

it("O9: an unsafe one waits until its host has stopped, and only then is a person asked; one that comes back tells it", async () => {
  for (const comesBack of [true, false]) {
    const shop = new Spread("A", "B");
    shop.answerMs = 3_000;
    const first = await shop.mortal();
    const key = shop.calls("refund");
    await shop.wait(1_000);
    shop.doors.cut("A");
    await shop.replace(first);
    await shop.wait(LEASE_MS + TIMEOUT_MS - 100);
    assert.deepEqual(shop.story(key), ["started 1 A"]);
    if (comesBack) shop.doors.back("A");
    await shop.wait(2_000);
    const end = comesBack ? ["succeeded 1"] : ["lost 1 out of reach", "unknown 1"];
    assert.deepEqual([shop.story(key), shop.done], [["started 1 A", ...end], ["A 1"]]);
    assert.equal(shop.run(key).status, comesBack ? "succeeded" : "needs_resolution");
  }
});

it("O2, O9: what was handed over is never said not to have been sent, though its line breaks at once and other hosts are there", async () => {
  for (const [operation, story] of [
    ["charge", ["started 1 A", "lost 1 out of reach", "started 2 B", "succeeded 2"]],
    ["transfer", ["started 1 A", "lost 1 out of reach", "succeeded 1"]],
    ["refund", ["started 1 A", "lost 1 out of reach", "unknown 1"]],
  ] as const) {
    const shop = new Spread("A", "B");
    shop.answerMs = 1_000;
    await shop.start();
    const key = shop.calls(operation);
    await shop.wait(500);
    shop.doors.cut("A");
    await shop.wait(LEASE_MS + TIMEOUT_MS + OUT_OF_REACH_MS + 2_000);
    assert.deepEqual([shop.story(key), shop.provider.doubled], [story, []], operation);
  }
});

it("what has no effect is read again on another host, without waiting", async () => {
  const shop = new Spread("A", "B");
  shop.answerMs = 1_000;
  await shop.start();
  const key = shop.calls("quote");
  await shop.wait(500);
  shop.doors.cut("A");
  await shop.wait(2_000);
  assert.deepEqual([shop.run(key).status, shop.done], ["succeeded", ["A 1", "B 2"]]);
});

it("a person's try goes to a host that is there", async () => {
  const shop = new Spread("A", "B");
  shop.doors.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
  await shop.start();
  const key = shop.calls("refund");
  await shop.wait(500);
  shop.doors.end("A");
  shop.doors.act = async () => ({ status: "succeeded", result: "1", evidence: "e" });
  shop.resolve(key, { node: "a", attempt: 1, call: 1, expectedHead: shop.operation(key, "a")?.head ?? 0, verdict: { status: "retry" } });
  await shop.wait(1_000);
  assert.deepEqual(shop.story(key), ["started 1 A", "unknown 1", "started 2 B", "succeeded 2"]);
});

it("a cancel goes to the host that has it", async () => {
  const shop = new Spread("A", "B");
  shop.answerMs = 2_000;
  await shop.start();
  const key = shop.calls("charge");
  await shop.wait(500);
  shop.cancel(key);
  await shop.wait(3_000);
  assert.deepEqual([shop.doors.cancelled, shop.run(key).status], [["A"], "cancelled"]);
});
