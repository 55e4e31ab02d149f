// What the engine asks before a dispatch, how long a dead one may still dispatch, and what a person says.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { asTenantId } from "@woml/run";
import { type Named, newKey, wanted } from "./opened.ts";
import { type Case, LEASE_MS, successor } from "./scene.ts";

const release = (name: string): Named => ({
  digest: `sha256:${name}`,
  capability: `acme.${name}`,
  manifest: `{"ß":"${name}"}`,
  artefact: Buffer.from(`// ${name} ß\u0000`),
});

export function permits(play: Case): void {
  play("a release is read back byte for byte; what is not stored is null", async ({ opened, store }) => {
    const one = release("one");
    await opened.release(one);
    assert.equal(await store.manifest(one.digest), one.manifest);
    const { artefact, ...rest } = (await store.release(one.digest)) ?? assert.fail();
    assert.deepEqual(rest, { digest: one.digest, manifest: one.manifest });
    assert.deepEqual(Buffer.from(artefact), one.artefact);
    assert.deepEqual([await store.manifest("sha256:two"), await store.release("sha256:two")], [null, null]);
  });
  play(
    "granted needs an approval of these digests, no revocation, and a grant of the capability to this tenant",
    async ({ opened, store }) => {
      const [mine, theirs] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
      const [one, other, false_] = [release("one"), release("other"), release("false")];
      const standing = (of: Named) => Promise.all([store.standing(mine, of.digest), store.standing(theirs, of.digest)]);
      assert.deepEqual(await standing(one), ["not_approved", "not_approved"]);
      for (const each of [one, other, false_]) await opened.release(each);
      await opened.grant(mine, one.capability);
      assert.deepEqual(await standing(one), ["not_approved", "not_approved"]);
      await opened.approve(one);
      assert.deepEqual(await standing(one), ["granted", "not_granted"]);
      await opened.approve(false_, true);
      await opened.grant(mine, false_.capability);
      assert.deepEqual(await standing(false_), ["not_approved", "not_approved"]);
      await opened.approve(other);
      assert.deepEqual(await standing(other), ["not_granted", "not_granted"]);
      await opened.revoke(one);
      assert.deepEqual(await standing(one), ["revoked", "revoked"]);
    },
  );
  play("modules are the tenant's own, by digest, as they were stored; what is not stored is absent", async ({ opened, store }) => {
    const [mine, theirs] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
    await opened.setModule(mine, "sha256:a", "export {};\n// ß\u2028");
    await opened.setModule(theirs, "sha256:a", "another");
    await opened.setModule(theirs, "sha256:b", "b");
    const found = await store.modules(mine, ["sha256:a", "sha256:b", "sha256:c"]);
    assert.deepEqual([...found], [["sha256:a", "export {};\n// ß\u2028"]]);
    assert.deepEqual([...(await store.modules(mine, []))], []);
  });
  play("secrets are the tenant's own, by name; what is not set is absent", async ({ opened, store }) => {
    const [mine, theirs] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
    await opened.setSecret(mine, "A", Uint8Array.of(0, 255, 1));
    await opened.setSecret(theirs, "A", Uint8Array.of(2));
    await opened.setSecret(theirs, "B", Uint8Array.of(3));
    const found = [...(await store.secrets(mine, ["A", "B", "C"]))].map(([name, bytes]) => [name, ...bytes]);
    assert.deepEqual(found, [["A", 0, 255, 1]]);
    assert.deepEqual([...(await store.secrets(mine, []))], []);
  });
  play("by the secret that was set last an engine finds out whether its key opens them", async ({ opened, store }) => {
    assert.equal(await store.anySecret(), null);
    const [one, other] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
    await opened.setSecret(one, "A", Uint8Array.of(1));
    // Of two in one millisecond none is the last.
    await sleep(5);
    await opened.setSecret(other, "B", Uint8Array.of(0, 255));
    const found = await store.anySecret();
    assert.deepEqual([found?.tenant, found?.name, ...(found?.sealed ?? [])], [other, "B", 0, 255]);
  });
  play("a dead engine may dispatch until its lease ends; one that released may not, nor one that is not fenced counts", async (scene) => {
    const { opened, store, engine, lease, at } = scene;
    const until = (): Promise<number> => store.fencedUntil();
    assert.equal(await until(), 0);
    const next = await successor(scene);
    await lease.release();
    assert.equal(await until(), 0);
    assert.deepEqual(await next.store.fence(next.engine), []);
    await opened.kill(next.engine);
    assert.equal(await until(), 0);
    const last = await successor(scene);
    await last.store.fence(last.engine);
    const ends = await until();
    assert.ok(ends >= at + LEASE_MS && ends <= at + LEASE_MS + 60_000, `${ends - at}`);
    assert.notEqual(engine, last.engine);
  });
}

export function askingAPerson(play: Case): void {
  const asked = { kind: "resolve", node: "a", attempt: 1, call: 2, expectedHead: 2, by: "k" } as const;
  play(
    "a resolution, or a decision, is read as it was written, of own and ended runs, with the run's status",
    async ({ opened, store, engine }) => {
      const key = newKey();
      await store.append(wanted(key, engine));
      const bodies = [
        { ...asked, verdict: { status: "succeeded", result: { z: 1, a: null } } },
        { ...asked, call: null, verdict: { status: "failed", message: "no" } },
        { ...asked, verdict: { status: "retry" } },
        { kind: "resolve_approval", node: "approve", decision: "rejected", by: "token" },
      ] as const;
      const ids = bodies.map((_, i) => `00000000-0000-7000-8000-00000000000${i}`);
      for (const [i, body] of bodies.entries()) await opened.ask({ ...key, id: ids[i] ?? "", body });
      const expected = bodies.map((body, i) => ({ ...key, id: ids[i], body, status: "running" }));
      const open = async () => (await store.inbox(engine, 9, false)).map(({ createdAt: _, ...rest }) => rest);
      assert.deepEqual(await open(), expected);
      await store.append(wanted(key, engine, { expected: 2, requests: [ids[0] ?? ""] }));
      assert.deepEqual(await open(), expected.slice(1));
    },
  );
  play("a run that only waits for a person is claimed from a dead engine when somebody has said something", async (scene) => {
    const { opened, store, engine } = scene;
    const key = newKey();
    const projection = { status: "needs_resolution", waitingFor: null, nextDue: null, holds: false } as const;
    await store.append(wanted(key, engine, { projection }));
    await opened.kill(engine);
    const next = await successor(scene);
    await next.store.fence(next.engine);
    assert.deepEqual(await next.store.claim(next.engine, 9), []);
    await opened.ask({ ...key, id: randomUUID(), body: { ...asked, verdict: { status: "retry" } } });
    assert.deepEqual(
      (await next.store.claim(next.engine, 9)).map(({ run }) => run),
      [key.run],
    );
    assert.equal((await next.store.inbox(next.engine, 9, false)).length, 1);
  });
  play("decisions about a run's approvals are read until they are consumed, and nothing else of it or of others", async (scene) => {
    const { opened, store, engine } = scene;
    const [key, other] = [newKey(), newKey()];
    for (const one of [key, other]) await store.append(wanted(one, engine));
    const decision = (node: string) => ({ kind: "resolve_approval", node, decision: "approved", by: "k" }) as const;
    const ids = [randomUUID(), randomUUID()].toSorted();
    for (const [i, node] of ["first", "second"].entries()) await opened.ask({ ...key, id: ids[i] ?? "", body: decision(node) });
    await opened.ask({ ...other, id: randomUUID(), body: decision("other") });
    await opened.ask({ ...key, id: randomUUID(), body: { kind: "cancel" } });
    const open = async () => (await store.decisions(key)).map(({ id, body, status }) => [id, body, status]);
    assert.deepEqual(await open(), [
      [ids[0], decision("first"), null],
      [ids[1], decision("second"), null],
    ]);
    await store.append(wanted(key, engine, { expected: 2, requests: [ids[0] ?? ""] }));
    assert.deepEqual(await open(), [[ids[1], decision("second"), null]]);
    assert.deepEqual(await store.decisions(newKey()), []);
  });
  play("an alarm to ask a provider is stored beside others", async ({ opened, store, engine }) => {
    const key = newKey();
    await store.append(wanted(key, engine, { set: [{ subject: "a:1:1", kind: "ask", dueAt: 7 }] }));
    assert.deepEqual(await opened.timers(key), ["ask:a:1:1@7"]);
    await store.append(wanted(key, engine, { expected: 2, cleared: [{ subject: "a:1:1", kind: "ask" }] }));
    assert.deepEqual(await opened.timers(key), []);
  });
}
