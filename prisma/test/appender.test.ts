// Appender's invariants (G1 … G4) over a statement that a test plays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "pg";
import { type Entry, keyOf } from "../append.ts";
import { Appender, type Write } from "../appender.ts";
import type { Append, Moved } from "../engine-store.ts";
import { AppendRefused } from "../error.ts";
import { newKey, wanted } from "./opened.ts";

interface Sent {
  readonly batch: readonly Entry[];
  readonly careful: boolean;
}
const OWNER = "00000000-0000-7000-8000-000000000001";
const state = (code: string): Error => Object.assign(new DatabaseError(code, 0, "error"), { code });
const fresh = (more: Partial<Append> = {}): Append => wanted(newKey(), OWNER, more);

/** `fail` says what a statement ends in; what does not fail moves everything. */
function played(fail: (sent: Sent) => Error | null = () => null): { readonly appender: Appender; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const write: Write = async (batch, careful) => {
    sent.push({ batch, careful });
    await new Promise(setImmediate);
    const error = fail({ batch, careful });
    if (error) throw error;
    return new Map(batch.map(({ append }): [string, Moved] => [keyOf(append), { head: append.expected + 2, at: 1, now: 1 }]));
  };
  return { appender: new Appender(write), sent };
}
const sizes = (sent: readonly Sent[]): number[] => sent.map(({ batch }) => batch.length);

test("G1 what arrives while one is in flight goes in the next one, at most 256 runs", async () => {
  const { appender, sent } = played();
  const first = appender.append(fresh());
  await new Promise(setImmediate);
  const rest = Array.from({ length: 300 }, () => appender.append(fresh({ events: [] })));
  await Promise.all([first, ...rest]);
  assert.deepEqual(sizes(sent), [1, 256, 44]);
  await appender.idle();
});

test("G1 by turns of the tenants: another's many do not stand before one's few", async () => {
  const { appender, sent } = played();
  const first = appender.append(fresh());
  await new Promise(setImmediate);
  const [many, few] = [newKey(), newKey()];
  const of = (tenant: string): Append => fresh({ tenant: tenant as Append["tenant"], events: [] });
  const rest = [...Array.from({ length: 300 }, () => of(many.tenant)), of(few.tenant), of(few.tenant)].map((one) => appender.append(one));
  await Promise.all([first, ...rest]);
  const inBatch = (at: number): number => sent[at]?.batch.filter(({ append }) => append.tenant === few.tenant).length ?? 0;
  assert.deepEqual([sizes(sent), inBatch(1)], [[1, 256, 46], 2]);
});

test("G1 at most 500 events and 1 MiB; one that is larger goes alone", async () => {
  const { appender, sent } = played();
  const three = fresh().events.concat(fresh().events.slice(0, 1));
  await Promise.all(Array.from({ length: 200 }, () => appender.append(fresh({ events: three }))));
  assert.deepEqual(sizes(sent), [166, 34]);
  sent.length = 0;
  const sized = (bytes: number): Append => fresh({ events: [{ type: "run_succeeded", data: { result: "x".repeat(bytes) } }] });
  await Promise.all([sized(400_000), sized(3_000_000), sized(400_000), sized(400_000), sized(100)].map((one) => appender.append(one)));
  assert.deepEqual(
    sent.map(({ batch }) => batch.map(({ bytes }) => Math.round(bytes / 1e5))),
    [[4, 4, 0], [30], [4]],
  );
});

test("G2 a run stands in a statement once, and its appends keep their order", async () => {
  const { appender, sent } = played();
  const key = newKey();
  const other = newKey();
  await Promise.all(
    [0, 2, 4].map((expected) => appender.append(wanted(key, OWNER, { expected }))).concat(appender.append(wanted(other, OWNER))),
  );
  const seen = sent.map(({ batch }) => batch.map(({ append }) => [append.run === key.run, append.expected]));
  assert.deepEqual(seen, [
    [
      [true, 0],
      [false, 0],
    ],
    [[true, 2]],
    [[true, 4]],
  ]);
});

test("G3 a refused one is found by halves; all others are written", async () => {
  const bad = fresh();
  const { appender, sent } = played(({ batch }) => (batch.some(({ append }) => append === bad) ? state("22003") : null));
  const all = [...Array.from({ length: 40 }, () => fresh()), bad, ...Array.from({ length: 23 }, () => fresh())];
  const settled = await Promise.allSettled(all.map((one) => appender.append(one)));
  const refused = settled.flatMap((one, i) => (one.status === "rejected" ? [[i, one.reason instanceof AppendRefused]] : []));
  assert.deepEqual(refused, [[40, true]]);
  assert.equal(settled.filter((one) => one.status === "fulfilled" && one.value?.head === 2).length, 63);
  assert.ok(sent.length <= 13, `${sent.length} statements`);
});

test("G3 after a lock or a time-out the batch goes once more without whoever is locked", async () => {
  for (const code of ["55P03", "40P01", "57014"]) {
    const { appender, sent } = played(({ careful }) => (careful ? null : state(code)));
    assert.deepEqual(await Promise.all([appender.append(fresh()), appender.append(fresh())]), Array(2).fill({ head: 2, at: 1, now: 1 }));
    assert.deepEqual(
      sent.map(({ batch, careful }) => [batch.length, careful]),
      [
        [2, false],
        [2, true],
      ],
    );
  }
});

test("G3 one that stays locked is to be reloaded, not refused", async () => {
  const { appender } = played(() => state("55P03"));
  assert.deepEqual(await Promise.all([appender.append(fresh()), appender.append(fresh())]), [null, null]);
});

test("G4 a lost answer says reload, to everybody in the batch and once", async () => {
  for (const lost of [
    new Error("Query read timeout"),
    Object.assign(new Error("write EPIPE"), { code: "EPIPE" }),
    state("57P01"),
    ...["08006", "25006", "42501", "53100", "58030"].map(state),
  ]) {
    const { appender, sent } = played(() => lost);
    assert.deepEqual(await Promise.all([appender.append(fresh()), appender.append(fresh())]), [null, null]);
    assert.deepEqual(sizes(sent), [2]);
  }
});

test("what could never be read again is refused before it is sent", async () => {
  const { appender, sent } = played();
  await assert.rejects(appender.append(fresh({ events: [{ type: "run_succeeded", data: { result: "\u0000" } }] })), AppendRefused);
  assert.deepEqual(sent, []);
});
