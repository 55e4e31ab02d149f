// What every store of the engine's does. The memory's double and PostgreSQL's pass the same suite.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { asRunId, asTenantId, type RunKey } from "@woml/run";
import { AppendRefused } from "../error.ts";
import { allowances } from "./engine-allowance-contract.ts";
import { lanes } from "./engine-lane-contract.ts";
import { ownOperations } from "./engine-own-contract.ts";
import { askingAPerson, permits } from "./engine-permit-contract.ts";
import { stuckRuns } from "./engine-stuck-contract.ts";
import { usage } from "./engine-usage-contract.ts";
import { DECIDED_AT, newKey, type Opened, startBody, wanted } from "./opened.ts";
import { type Case, LEASE_MS, type Play, type Scene, successor } from "./scene.ts";

export function engineStoreContract(name: string, open: () => Promise<Opened>): void {
  const play = (title: string, scene: Play): void => {
    test(title, async () => {
      const opened = await open();
      try {
        const store = await opened.handle();
        const engine = randomUUID();
        await scene({ opened, store, engine, ...(await store.openLease(engine, LEASE_MS)) });
      } finally {
        await opened.close();
      }
    });
  };
  describe(name, () => {
    leases(play);
    appends(play);
    refusals(play);
    claims(play);
    inbox(play);
    holding(play);
    reading(play);
    permits(play);
    ownOperations(play);
    allowances(play);
    askingAPerson(play);
    stuckRuns(play);
    lanes(play);
    usage(play);
  });
}
function leases(play: Case): void {
  play("a living engine is renewed and not fenced; a dead one is, once", async (scene) => {
    const { opened, store, engine, lease, at } = scene;
    assert.ok(((await lease.renew()) ?? 0) >= at);
    const next = await successor(scene);
    assert.deepEqual(await next.store.fence(next.engine), []);
    assert.deepEqual(await store.fence(engine), []);
    assert.deepEqual(await store.peers(), [engine, next.engine].toSorted());
    await opened.kill(engine);
    await lease.lost;
    assert.deepEqual(await next.store.fence(next.engine), [engine]);
    assert.deepEqual(await next.store.fence(next.engine), []);
    assert.deepEqual(await next.store.peers(), [next.engine]);
    assert.equal(await lease.renew(), null);
  });
  play("a lease that ran out is fenced though its session lives, and is never renewed", async (scene) => {
    const { opened, engine, lease } = scene;
    await opened.elapse(LEASE_MS + 1000);
    const next = await successor(scene);
    assert.deepEqual(await next.store.fence(next.engine), [engine]);
    assert.equal(await lease.renew(), null);
    await lease.lost;
  });
  play("release hands over at once", async (scene) => {
    const { store, engine, lease } = scene;
    const key = newKey();
    await store.append(wanted(key, engine));
    await lease.release();
    const next = await successor(scene);
    assert.deepEqual(runsOf(await next.store.claim(next.engine, 9)), [key.run]);
  });
}

function appends(play: Case): void {
  play("an admission, then what follows; seq without gaps, time never back", async ({ opened, store, engine, at }) => {
    const key = newKey();
    const first = await store.append(wanted(key, engine, { at: DECIDED_AT + 5000 }));
    assert.deepEqual([first?.head, first?.at], [2, DECIDED_AT + 5000]);
    assert.ok((first?.now ?? 0) >= at);
    const second = await store.append(wanted(key, engine, { expected: 2 }));
    assert.deepEqual([second?.head, second?.at], [4, DECIDED_AT + 5000]);
    const third = await store.append(wanted(key, engine, { expected: 4, at: DECIDED_AT + 6000 }));
    assert.deepEqual([third?.head, third?.at], [6, DECIDED_AT + 6000]);
    const loaded = await store.load(key);
    assert.deepEqual(
      loaded?.events.map(({ seq, at: written, type }) => `${seq} ${type} ${written - DECIDED_AT}`),
      [1, 3, 5].flatMap((seq) => [`${seq} step_started ${seq < 5 ? 5000 : 6000}`, `${seq + 1} step_succeeded ${seq < 5 ? 5000 : 6000}`]),
    );
    assert.deepEqual(loaded?.events[1]?.data, { node: "a", attempt: 1, output: { z: 1, a: ["ß", null] }, cpuMs: 2 });
    assert.equal(JSON.stringify(loaded?.events[1]?.data), '{"node":"a","attempt":1,"output":{"z":1,"a":["ß",null]},"cpuMs":2}');
    assert.deepEqual((await opened.row(key))?.labels, ['a,"b"', "{}"]);
  });
  play("the fence: another head, owner or epoch, a second admission: null, and nothing is written", async ({ opened, store, engine }) => {
    const key = newKey();
    const request = randomUUID();
    await opened.ask({ ...key, id: request, body: { kind: "cancel" } });
    assert.equal(await store.append(wanted(key, engine, { expected: 2 })), null);
    await store.append(wanted(key, engine));
    const lost = { set: [{ subject: "", kind: "deadline", dueAt: 9 } as const], requests: [request] };
    for (const wrong of [
      { expected: 1 },
      { expected: 3 },
      { expected: 2, epoch: 2 },
      { expected: 2, epoch: 0 },
      { expected: 2, owner: randomUUID() },
      { expected: 0 },
    ])
      assert.equal(await store.append(wanted(key, engine, { ...lost, ...wrong })), null, JSON.stringify(wrong));
    assert.equal((await store.load(key))?.events.length, 2);
    assert.deepEqual(await opened.timers(key), []);
    assert.equal(await opened.answerOf(key.tenant, request), null);
  });
  play("a fenced engine admits nothing", async (scene) => {
    const next = await successor(scene);
    await scene.opened.kill(scene.engine);
    await next.store.fence(next.engine);
    const key = newKey();
    assert.equal(await scene.store.append(wanted(key, scene.engine)), null);
    assert.equal(await scene.store.load(key), null);
  });
  play("timers are set, set anew and cleared; another tenant's run of the same id keeps its own", async ({ opened, store, engine }) => {
    const key = newKey();
    const twin = { ...key, tenant: asTenantId(randomUUID()) };
    const set = [
      { subject: "a", kind: "retry", dueAt: 5 },
      { subject: "", kind: "deadline", dueAt: 6 },
    ] as const;
    await Promise.all([store.append(wanted(key, engine, { set })), store.append(wanted(twin, engine, { set }))]);
    const next = {
      expected: 2,
      set: [{ subject: "a", kind: "retry", dueAt: 7 } as const],
      cleared: [{ subject: "", kind: "deadline" } as const],
    };
    await store.append(wanted(key, engine, next));
    assert.deepEqual(await opened.timers(key), ["retry:a@7"]);
    assert.deepEqual(await opened.timers(twin), ["deadline:@6", "retry:a@5"]);
  });
  play("a request is consumed by an append of its own run only", async ({ opened, store, engine }) => {
    const key = newKey();
    const other = { ...key, run: asRunId(randomUUID()) };
    const [mine, others, foreign] = [randomUUID(), randomUUID(), randomUUID()];
    const stranger = asTenantId(randomUUID());
    await opened.ask({ ...key, id: mine, body: startBody() });
    await opened.ask({ ...other, id: others, body: startBody() });
    await opened.ask({ ...key, tenant: stranger, id: foreign, body: startBody() });
    await store.append(wanted(key, engine, { requests: [mine, others, foreign] }));
    assert.equal(await opened.answerOf(key.tenant, mine), "");
    assert.equal(await opened.answerOf(key.tenant, others), null);
    assert.equal(await opened.answerOf(stranger, foreign), null);
  });
  play("two appends of one run at once keep their order; many runs at once all land", async ({ store, engine }) => {
    const keys = Array.from({ length: 300 }, newKey);
    const all = keys.flatMap((key) => [store.append(wanted(key, engine)), store.append(wanted(key, engine, { expected: 2 }))]);
    const heads = (await Promise.all(all)).map((moved) => moved?.head);
    assert.deepEqual(
      heads,
      keys.flatMap(() => [2, 4]),
    );
  });
}

function refusals(play: Case): void {
  play("what PostgreSQL could not read again is refused, alone", async ({ store, engine }) => {
    const fine = Array.from({ length: 5 }, newKey);
    const bad = ["\u0000", "x\\\u0000", "\ud800", "\udc00\ud800"];
    const appends = [
      ...fine.map((key) => store.append(wanted(key, engine))),
      ...bad.map((text) =>
        store.append(wanted(newKey(), engine, { events: [{ type: "run_succeeded", data: { result: { [text]: 1 } } }] })),
      ),
    ];
    const settled = await Promise.allSettled(appends);
    assert.deepEqual(
      settled.map((one) => (one.status === "fulfilled" ? one.value?.head : one.reason instanceof AppendRefused && one.reason.code)),
      [...fine.map(() => 2), ...bad.map(() => "WOML_EVENT_REJECTED")],
    );
  });
  play("text that only looks like an escape is kept", async ({ store, engine }) => {
    const key = newKey();
    const result = ["\\u0000", "\\ud800", "a\\\\u0000", "😀", "\u007f\u0001"];
    await store.append(wanted(key, engine, { events: [{ type: "run_succeeded", data: { result } }] }));
    assert.deepEqual((await store.load(key))?.events[0]?.data, { result });
  });
}

function claims(play: Case): void {
  play("only what a fenced engine owned is claimed, when due or asked; epoch and claims grow", async (scene) => {
    const { opened, store, engine, at } = scene;
    const [due, later, asked, ended] = [newKey(), newKey(), newKey(), newKey()];
    const waiting = { status: "waiting", waitingFor: null, nextDue: at + 1e6, holds: false } as const;
    await Promise.all([
      store.append(wanted(due, engine)),
      store.append(wanted(later, engine, { projection: waiting })),
      store.append(wanted(asked, engine, { projection: waiting })),
      store.append(wanted(ended, engine, { projection: { status: "succeeded", waitingFor: null, nextDue: null, holds: false } })),
    ]);
    for (const key of [asked, ended]) await opened.ask({ ...key, id: randomUUID(), body: { kind: "cancel" } });
    const next = await successor(scene);
    assert.deepEqual(await next.store.claim(next.engine, 9), []);
    await opened.kill(engine);
    assert.deepEqual(await next.store.claim(next.engine, 9), []);
    await next.store.fence(next.engine);
    const claimed = await next.store.claim(next.engine, 9);
    assert.deepEqual(runsOf(claimed), runsOf([due, asked]));
    assert.deepEqual(
      claimed.map((run) => [run.owner, run.epoch, run.claims, run.events.length, run.version]),
      [
        [next.engine, 2, 1, 2, "v"],
        [next.engine, 2, 1, 2, "v"],
      ],
    );
    assert.equal(await store.append(wanted(due, engine, { expected: 2 })), null);
    assert.deepEqual(await store.claim(engine, 9), []);
  });
  play("at most the limit; two claimers never get the same", async (scene) => {
    const { opened, store, engine } = scene;
    const keys = Array.from({ length: 20 }, newKey);
    await Promise.all(keys.map((key) => store.append(wanted(key, engine))));
    await opened.kill(engine);
    const [one, two] = [await successor(scene), await successor(scene)];
    await one.store.fence(one.engine);
    assert.equal((await one.store.claim(one.engine, 3)).length, 3);
    const got = await Promise.all([one, two, one, two].map((next) => next.store.claim(next.engine, 9)));
    const rest = await two.store.claim(two.engine, 20);
    const all = runsOf([...got.flat(), ...rest]);
    assert.equal(new Set(all).size, all.length);
    assert.equal(all.length, 17);
  });
  play("what is vouched for counts no more; of another's runs nobody can say so", async (scene) => {
    const { opened, store, engine } = scene;
    const [mine, other] = [newKey(), newKey()];
    for (const key of [mine, other]) await store.append(wanted(key, engine));
    await opened.kill(engine);
    const next = await successor(scene);
    await next.store.fence(next.engine);
    assert.equal((await next.store.claim(next.engine, 9)).length, 2);
    await next.store.vouch(randomUUID(), [mine, other]);
    await next.store.vouch(next.engine, [mine]);
    const claims = await Promise.all([mine, other].map(async (key) => (await store.load(key))?.claims));
    assert.deepEqual(claims, [0, 1]);
    await next.store.vouch(next.engine, []);
  });
  play("from the third claim on a run waits, doubling; what moves it clears the count", async (scene) => {
    const { opened, store, engine } = scene;
    const key = newKey();
    await store.append(wanted(key, engine));
    let last = engine;
    const claim = async (): Promise<number | null> => {
      await opened.kill(last);
      const next = await successor(scene);
      await next.store.fence(next.engine);
      const [run] = await next.store.claim(next.engine, 1);
      if (run) last = next.engine;
      return run?.claims ?? null;
    };
    // What has passed since the claim before, and what comes of it. Judged where waits are so long that the time of the questions does not matter.
    const passed = [0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 0, 17_000, 15_000];
    const seen: (number | null)[] = [];
    for (const ms of passed) {
      await opened.elapse(ms);
      seen.push(await claim());
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, null, null, 8]);
    await store.append(wanted(key, last, { expected: 2, epoch: 9 }));
    assert.equal(await claim(), 1);
  });
  play("due: own, past, oldest first, at most the limit", async ({ opened, store, engine, at }) => {
    const [a, b, c, others] = [newKey(), newKey(), newKey(), newKey()];
    const next = await successor({ opened } as Scene);
    const at1 = (nextDue: number) => ({ projection: { status: "running", waitingFor: null, nextDue, holds: false } as const });
    await Promise.all([store.append(wanted(a, engine, at1(30))), store.append(wanted(b, engine, at1(10)))]);
    await Promise.all([store.append(wanted(c, engine, at1(at + 1e6))), next.store.append(wanted(others, next.engine, at1(1)))]);
    assert.deepEqual(await store.due(engine, 9), [b, a]);
    assert.deepEqual(await store.due(engine, 1), [b]);
  });
}

function inbox(play: Case): void {
  play("starts of anybody; cancels of own, absent and ended runs, not of another's; oldest first", async (scene) => {
    const { opened, store, engine } = scene;
    const [fresh, mine, others, ended] = [newKey(), newKey(), newKey(), newKey()];
    const next = await successor(scene);
    await store.append(wanted(mine, engine));
    await next.store.append(wanted(others, next.engine));
    await next.store.append(
      wanted(ended, next.engine, { projection: { status: "failed", waitingFor: null, nextDue: null, holds: false } }),
    );
    const ids = Array.from({ length: 5 }, (_, i) => `00000000-0000-7000-8000-00000000000${i}`);
    await opened.ask({ ...fresh, id: ids[0] ?? "", body: startBody() });
    for (const [i, key] of [fresh, mine, others, ended].entries())
      await opened.ask({ ...key, id: ids[i + 1] ?? "", body: { kind: "cancel" } });
    const seen = await store.inbox(engine, 9, true);
    assert.deepEqual(
      seen.map(({ id, status }) => [ids.indexOf(id), status]),
      [
        [0, null],
        [1, null],
        [2, "running"],
        [4, "failed"],
      ],
    );
    const createdAt = seen[0]?.createdAt ?? 0;
    assert.deepEqual(seen[0], { ...fresh, id: ids[0], createdAt, body: startBody(), status: null });
    assert.ok(createdAt >= scene.at && createdAt <= ((await scene.lease.renew()) ?? 0));
    assert.deepEqual(
      (await store.inbox(engine, 9, false)).map(({ id }) => ids.indexOf(id)),
      [1, 2, 4],
    );
    assert.equal((await store.inbox(engine, 2, true)).length, 2);
  });
  play("an answer consumes once, and only its tenant's", async ({ opened, store, engine }) => {
    const key = newKey();
    const id = randomUUID();
    await opened.ask({ ...key, id, body: { kind: "cancel" } });
    await store.answer([{ tenant: asTenantId(randomUUID()), id, answer: "NO" }]);
    assert.equal(await opened.answerOf(key.tenant, id), null);
    await store.answer([{ tenant: key.tenant, id, answer: "RUN_ALREADY_TERMINAL" }]);
    await store.answer([{ tenant: key.tenant, id, answer: "AGAIN" }]);
    assert.equal(await opened.answerOf(key.tenant, id), "RUN_ALREADY_TERMINAL");
    assert.deepEqual(await store.inbox(engine, 9, true), []);
  });
}

function holding(play: Case): void {
  play("a held run is neither due nor claimed; its cancel is seen, it is taken, and an append ends the hold", async (scene) => {
    const { opened, store, engine } = scene;
    const key = newKey();
    const id = randomUUID();
    await store.append(wanted(key, engine));
    assert.equal(await store.hold(key, { engine, epoch: 2 }, "no"), false);
    assert.equal(await store.hold(key, { engine: randomUUID(), epoch: 1 }, "no"), false);
    assert.equal(await store.claimHeld(engine, key), null);
    assert.equal(await store.hold(key, { engine, epoch: 1 }, "fold threw"), true);
    const row = await opened.row(key);
    assert.deepEqual([row?.held, row?.owner, row?.epoch, row?.status], ["fold threw", null, 2, "running"]);
    assert.equal(await store.append(wanted(key, engine, { expected: 2 })), null);
    assert.deepEqual([await store.due(engine, 9), await store.claim(engine, 9)], [[], []]);
    await opened.ask({ ...key, id, body: { kind: "cancel" } });
    const next = await successor(scene);
    assert.deepEqual(
      (await next.store.inbox(next.engine, 9, true)).map((request) => request.id),
      [id],
    );
    const taken = await next.store.claimHeld(next.engine, key);
    assert.deepEqual([taken?.owner, taken?.held, taken?.events.length], [next.engine, "fold threw", 2]);
    assert.deepEqual(await store.inbox(engine, 9, true), []);
    assert.equal(await store.claimHeld(engine, key), null);
    const end = {
      expected: 2,
      epoch: taken?.epoch ?? 0,
      requests: [id],
      projection: { status: "cancelled", waitingFor: null, nextDue: null, holds: false },
    } as const;
    assert.equal((await next.store.append(wanted(key, next.engine, end)))?.head, 4);
    assert.deepEqual([(await opened.row(key))?.held, await opened.answerOf(key.tenant, id)], [null, ""]);
  });
  play("a held run that a dead engine took can be taken again", async (scene) => {
    const key = newKey();
    await scene.store.append(wanted(key, scene.engine));
    await scene.store.hold(key, { engine: scene.engine, epoch: 1 }, "why");
    const first = await scene.store.claimHeld(scene.engine, key);
    await scene.opened.kill(scene.engine);
    const next = await successor(scene);
    await next.store.fence(next.engine);
    const again = await next.store.claimHeld(next.engine, key);
    assert.equal(again?.epoch, (first?.epoch ?? 0) + 1);
    assert.equal(await scene.store.claimHeld(scene.engine, key), null);
  });
}

function reading(play: Case): void {
  play("definitions in the order asked, by tenant, byte for byte", async ({ opened, store }) => {
    const [mine, theirs] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
    const text = '{"z":1,"a":1.0,"ß":"\\u00df"}';
    await opened.publish(mine, "v1", text, { spans: [1] });
    await opened.publish(theirs, "v2", "{}", null);
    const asked = ["v2", "v1", "v0"].map((version) => ({ tenant: mine, version }));
    const expected = [null, { text, sourceMap: { spans: [1] } }, null];
    assert.deepEqual(await store.definitions(asked), expected);
    assert.deepEqual(await store.definitions([{ tenant: theirs, version: "v2" }]), [{ text: "{}", sourceMap: null }]);
    assert.deepEqual(await store.definitions([]), []);
  });
  play("a run is found under its own tenant only; statements that wrote are counted", async ({ store, engine }) => {
    const key = newKey();
    const before = store.commits;
    await store.append(wanted(key, engine));
    assert.equal(store.commits, before + 1);
    await Promise.all([store.inbox(engine, 9, true), store.due(engine, 9), store.claim(engine, 9), store.fence(engine), store.load(key)]);
    assert.equal(store.commits, before + 1);
    assert.equal(await store.load({ ...key, tenant: asTenantId(randomUUID()) }), null);
    assert.equal((await store.load(key))?.status, "running");
  });
}

const runsOf = (runs: readonly RunKey[]): string[] => runs.map(({ run }): string => run).toSorted();
