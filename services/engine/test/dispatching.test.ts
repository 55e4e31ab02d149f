import assert from "node:assert/strict";
import { it } from "node:test";
import { KEY_SHARE } from "../bounds.ts";
import { call, MANIFEST, Shop } from "./shop.ts";
import { sealed, TENANT } from "./stage.ts";

const SECRETIVE = { ...MANIFEST, permissions: { secrets: [{ name: "PLUGINS_OWN", reason: "to sign in" }] } };

function spender(): Shop {
  const shop = new Shop(SECRETIVE);
  shop.talks.set("a", async (talk, { secrets }) => {
    const told = await talk.call("shop.quote", { token: `Bearer ${secrets?.["API_KEY"]}` });
    if (!told.ok) return { outcome: "script_threw", failure: { name: "E", message: told.code, stack: "", call: 1 }, cpuMs: 1, ms: 1 };
    return { outcome: "ok", result: "1", cpuMs: 1, ms: 1 };
  });
  return shop;
}
const spending = (shop: Shop): string => shop.sell({ kind: "step", id: "a", script: { source: "", secrets: ["API_KEY"] } });
const setSecret = (shop: Shop, name: string, value: string, owner: string = TENANT): void =>
  shop.memory.vault.setSecret({ tenant: TENANT, name }, sealed(owner, name, value));

it("O6: values of secrets are in the dispatch, those of the input and those of the manifest, and never in the log", async () => {
  const shop = spender();
  setSecret(shop, "API_KEY", "s3cret-1");
  setSecret(shop, "PLUGINS_OWN", "s3cret-2");
  setSecret(shop, "ANOTHER", "s3cret-3");
  await shop.start();
  const key = shop.ask(spending(shop));
  await shop.wait(1_000);
  assert.equal(shop.run(key).status, "succeeded");
  const [dispatch] = shop.plugins.taken;
  assert.deepEqual(dispatch?.secrets, { API_KEY: "s3cret-1", PLUGINS_OWN: "s3cret-2" });
  assert.deepEqual(JSON.parse(dispatch?.input ?? ""), { token: { $secret: ["Bearer ", { secret: "API_KEY" }] } });
  assert.equal(JSON.stringify(shop.run(key).events).includes("s3cret"), false);
});

it("O4: a secret that is not set, or cannot be opened, is a known failure and nothing is sent", async () => {
  for (const [owner, code] of [
    [null, "WOML_SECRET_NOT_SET"],
    ["somebody else", "WOML_SECRET_UNREADABLE"],
  ] as const) {
    const shop = spender();
    setSecret(shop, "API_KEY", "s3cret-1");
    if (owner !== null) setSecret(shop, "PLUGINS_OWN", "s3cret-2", owner);
    await shop.start();
    const key = shop.ask(spending(shop));
    await shop.wait(1_000);
    assert.deepEqual([shop.code(key), shop.plugins.taken.length], [code, 0]);
  }
});

it("O4: values that are too large together are a known failure and nothing is sent", async () => {
  const shop = spender();
  setSecret(shop, "API_KEY", "x".repeat(65_536));
  setSecret(shop, "PLUGINS_OWN", "é".repeat(32_769));
  await shop.start();
  const key = shop.ask(spending(shop));
  await shop.wait(1_000);
  assert.deepEqual([shop.code(key), shop.plugins.taken.length], ["WOML_SECRETS_TOO_LARGE", 0]);
});

it("O4: a release revoked between start and dispatch fails a first try as a known failure", async () => {
  const shop = new Shop();
  shop.plugins.refuses = "unavailable";
  shop.play("a", (talk) => call(talk, "refund"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(3_000);
  shop.memory.vault.revoke(shop.release);
  await shop.wait(3_000);
  shop.plugins.refuses = null;
  assert.deepEqual([shop.code(key), shop.plugins.taken.length], ["WOML_PLUGIN_REVOKED", 0]);
});

it("O4: after a try that may have had its effect, one that cannot be begun proves nothing: its outcome is unknown", async () => {
  const shop = new Shop();
  shop.plugins.act = async (dispatch) => {
    shop.provider.land(dispatch);
    shop.memory.vault.revoke(shop.release);
    await shop.time.sleep(2_000);
    return { status: "ambiguous", code: "LOST", message: "no answer" };
  };
  shop.play("a", (talk) => call(talk, "charge"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(20_000);
  assert.deepEqual([shop.run(key).status, shop.operation(key, "a")?.status, shop.plugins.taken.length], ["needs_resolution", "unknown", 1]);
});

it("a provider may be asked after its release was revoked", async () => {
  const shop = new Shop();
  shop.plugins.act = async (dispatch) => {
    shop.provider.land(dispatch);
    shop.memory.vault.revoke(shop.release);
    await shop.time.sleep(2_000);
    return { status: "ambiguous", code: "LOST", message: "no answer" };
  };
  shop.play("a", (talk) => call(talk, "transfer"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(20_000);
  assert.deepEqual([shop.run(key).status, shop.plugins.taken.length, shop.plugins.asked.length], ["succeeded", 1, 1]);
});

for (const operation of ["charge", "transfer"] as const)
  it(`O5: a second dispatch of ${operation} is taken only while most of the window is left, and its plugin gets no longer than the rest`, async () => {
    const widened = { ...MANIFEST.operations[operation], timeoutMs: 600_000, idempotency: { header: "K", windowHours: 0.01 } };
    const shop = new Shop({ ...MANIFEST, operations: { ...MANIFEST.operations, [operation]: widened } });
    shop.plugins.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
    shop.plugins.find = async () => ({ status: "not_found" });
    shop.play("a", (talk) => call(talk, operation));
    await shop.start({ leaseMs: 60_000 });
    const key = shop.ask(shop.sell("a"));
    await shop.wait(100);
    const [first, second] = shop.plugins.taken;
    const firstAt = shop.operation(key, "a")?.firstAt ?? 0;
    assert.equal(second?.notAfter, firstAt + 36_000 * KEY_SHARE);
    assert.equal(second?.timeoutMs, firstAt + 36_000 - (second?.now ?? 0));
    assert.ok(first !== undefined && first.notAfter > firstAt + 36_000 && first.timeoutMs === 600_000);
  });

it("O5: a keyed one is not dispatched again when its provider may have forgotten the key while the host took nothing", async () => {
  const shop = new Shop({
    ...MANIFEST,
    operations: {
      ...MANIFEST.operations,
      charge: { ...MANIFEST.operations.charge, timeoutMs: 600_000, idempotency: { header: "K", windowHours: 0.01 } },
    },
  });
  let sent = 0;
  shop.plugins.act = async (dispatch) => {
    sent += 1;
    shop.provider.land(dispatch);
    shop.plugins.refuses = "overloaded";
    shop.time.after(60_000, () => {
      shop.provider.forget(dispatch.key);
      shop.plugins.refuses = null;
    });
    return { status: "ambiguous", code: "LOST", message: "no answer" };
  };
  shop.play("a", (talk) => call(talk, "charge"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(120_000);
  assert.deepEqual([sent, shop.run(key).status, shop.provider.doubled], [1, "needs_resolution", []]);
});

it("O7: what was started together with a cancel is not dispatched", async () => {
  const shop = new Shop();
  const memory = shop.memory.open();
  const slow = {
    ...memory,
    append: async (wanted: Parameters<typeof memory.append>[0]) => {
      const moved = await memory.append(wanted);
      await shop.time.sleep(50);
      return moved;
    },
  };
  shop.play("a", (talk) => talk.timer(20).then(() => call(talk, "refund")));
  await shop.start({}, slow);
  const key = shop.ask(shop.sellApart("b", "a"));
  // What `b` came to is being stored when `a` calls and the cancel comes, so that both are judged together.
  await shop.wait(80);
  shop.cancel(key);
  await shop.wait(1_000);
  assert.ok(shop.log(key).includes("operation_started a#1.1"));
  assert.deepEqual([shop.run(key).status, shop.plugins.taken.length], ["cancelled", 0]);
});

it("O1: an engine whose lease is over hands nothing over, and a run that a host knows under a higher epoch is looked up and left", async () => {
  const shop = new Shop();
  shop.plugins.refuses = "overloaded";
  shop.play("a", (talk) => call(talk, "refund"));
  const first = await shop.mortal();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(1_000);
  assert.equal(shop.log(key).at(-1), "operation_started a#1.1");
  const other = shop.memory.open();
  await other.openLease("other", 60_000);
  shop.memory.breakLease(first.id);
  await other.fence("other");
  await other.claim("other", 10);
  shop.plugins.refuses = null;
  await shop.wait(3_000);
  assert.equal(shop.plugins.taken.length, 0);
});

it("a dispatch that a host refuses as fenced makes the engine look whose the run is, and drop it", async () => {
  const shop = new Shop();
  shop.plugins.refuses = "fenced";
  shop.play("a", (talk) => call(talk, "refund"));
  const memory = shop.memory.open();
  let loads = 0;
  await shop.start(
    {},
    {
      ...memory,
      load: async (key) => {
        loads += 1;
        const run = await memory.load(key);
        return run && { ...run, owner: "other", epoch: 2 };
      },
    },
  );
  const key = shop.ask(shop.sell("a"));
  await shop.wait(700);
  assert.ok(loads >= 1);
  assert.deepEqual([shop.sandbox.running, shop.plugins.taken.length, shop.log(key).at(-1)], [0, 0, "operation_started a#1.1"]);
});

it("a held run that is cancelled waits for what its operations come to; held again, the next cancel ends it", async () => {
  for (const isStuck of [false, true]) {
    const shop = new Shop();
    shop.answerMs = 30_000;
    shop.play("a", (talk) => call(talk, "refund"));
    const first = await shop.mortal();
    const key = shop.ask(shop.sell("a"));
    await shop.wait(1_000);
    const { owner, epoch } = shop.run(key);
    await shop.memory.open().hold(key, { engine: owner ?? "", epoch }, "to be looked at");
    const second = await shop.replace(first);
    const hand = shop.resolve(key, { node: "a", attempt: 1, call: 1, expectedHead: 4, verdict: { status: "retry" } });
    await shop.wait(1_100);
    assert.deepEqual([shop.request(hand)?.answer, shop.run(key).held], ["RUN_HELD", "to be looked at"]);
    shop.cancel(key);
    await shop.wait(1_000);
    assert.deepEqual([shop.run(key).status, shop.run(key).held, shop.plugins.cancelled.length], ["cancelling", null, 1]);
    if (isStuck) {
      const now = shop.run(key);
      await shop.memory.open().hold(key, { engine: now.owner ?? "", epoch: now.epoch }, "again");
      await shop.replace(second);
      shop.cancel(key);
      await shop.wait(2_000);
      assert.equal(shop.run(key).status, "cancelled");
      assert.equal(shop.operation(key, "a")?.status, "unknown");
    } else {
      await shop.wait(40_000);
      assert.deepEqual([shop.run(key).status, shop.operation(key, "a")?.status], ["cancelled", "succeeded"]);
    }
  }
});
