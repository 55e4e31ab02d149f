import assert from "node:assert/strict";
import { test } from "node:test";
import { BOUNDS } from "../bounds.ts";
import { Fetching } from "../fetching.ts";
import { named, openInput } from "../handles.ts";
import { Kept } from "../kept.ts";
import { hostOptions } from "../options.ts";
import { Pauses } from "../pauses.ts";
import { digestOf, Releases } from "../releases.ts";

test("the oldest goes first when there is too much", () => {
  const kept = new Kept<number>({ ms: 60_000, count: 3, bytes: 10 });
  for (const n of [1, 2, 3, 4]) kept.set(String(n), n, 1);
  assert.deepEqual(
    ["1", "2", "4"].map((key) => kept.get(key)),
    [undefined, 2, 4],
  );
  kept.set("5", 5, 9);
  assert.deepEqual(
    ["3", "4", "5"].map((key) => kept.get(key)),
    [undefined, 4, 5],
  );
  kept.set("5", 6, 9);
  assert.deepEqual([kept.get("4"), kept.get("5"), kept.size], [4, 6, 2]);
  kept.set("6", 7, 11);
  assert.equal(kept.size, 0);
});

test("pauses double up to a minute, and one sound call ends them", () => {
  const clock = { ms: 1_000 };
  const pauses = new Pauses(100, () => clock.ms);
  const left = [];
  for (let n = 0; n < 12; n++) {
    pauses.crashed("a");
    left.push(pauses.leftMs("a"));
  }
  assert.deepEqual([left[0], left[1], left[2], left.at(-1), pauses.leftMs("b")], [100, 200, 400, 60_000, 0]);
  clock.ms += 60_000;
  assert.equal(pauses.leftMs("a"), 0);
  pauses.sound("a");
  pauses.crashed("a");
  assert.equal(pauses.leftMs("a"), 100);
});

test("PC-44: a release is put together from what was asked for; more than it has, or out of order, is a breach", async () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const head = { frame: "release", digest, manifest: "{}", artefactBytes: 4 } as const;
  const piece = (text: string) => ({ frame: "piece", digest, base64: Buffer.from(text).toString("base64") }) as const;
  const wanted: string[] = [];
  const open = () => new Fetching((one) => wanted.push(one));
  const whole = open();
  const release = whole.fetch(digest);
  assert.deepEqual([whole.heard(head), whole.heard(piece("ab")), whole.heard(piece("cd"))], [undefined, undefined, undefined]);
  assert.deepEqual(await release, { digest, manifest: "{}", artefact: Buffer.from("abcd") });
  assert.equal(whole.heard(piece("late")), undefined);
  for (const frames of [[piece("ab")], [head, head], [head, piece("abcde")]] as const) {
    const fetching = open();
    const lost = assert.rejects(fetching.fetch(digest));
    assert.match(frames.map((frame) => fetching.heard(frame)).at(-1) ?? "", /it sent/);
    fetching.close();
    await lost;
  }
  for (const reason of ["unknown", "unavailable"] as const) {
    const fetching = open();
    const found = fetching.fetch(digest).catch(() => "rejected");
    fetching.heard({ frame: "absent", digest, reason });
    assert.equal(await found, reason === "unknown" ? null : "rejected");
  }
  assert.equal(wanted.length, 6);
});

test("whoever waits for a release that another engine was asked for asks his own when that one goes", async () => {
  const releases = new Releases();
  const manifest = "{}";
  const release = { digest: digestOf({ manifest, artefact: new Uint8Array() }), manifest, artefact: new Uint8Array() };
  const { promise, reject } = Promise.withResolvers<never>();
  const first = releases.get(release.digest, () => promise);
  let asked = 0;
  const asks = (): number => asked;
  const second = releases.get(release.digest, async () => {
    asked += 1;
    return release;
  });
  assert.equal(asks(), 0);
  reject(new Error("gone"));
  const [lost, found] = await Promise.all([first, second]);
  assert.ok("missing" in lost && lost.missing === "lost");
  assert.ok("missing" in found && found.missing === "invalid" && asks() === 1, "the manifest {} is none");
});

test("placeholders are new for each input, and a text for each secret; what is no stored input is refused", () => {
  const stored = JSON.stringify({ a: { $secret: "KEY" }, b: [{ $secret: ["x", { base64: [{ secret: "KEY" }] }] }], $$$secret: 1 });
  const [one, other] = [openInput(stored), openInput(stored)];
  const [first, second] = [...one.placeholders.keys()];
  assert.deepEqual(one.value, { a: first, b: [`x${second}`], $$secret: 1 });
  assert.deepEqual([...one.placeholders.values()], [{ secret: "KEY" }, { base64: [{ secret: "KEY" }] }]);
  assert.match(first ?? "", /^[A-Za-z0-9_]{40,}$/);
  assert.ok(!other.placeholders.has(first ?? ""));
  assert.deepEqual(named(one.placeholders), { "a handle": first?.slice(0, 44) });
  for (const none of ['{"$secret":7}', '{"$secret":"A","b":1}', "{", `${"[".repeat(200_000)}${"]".repeat(200_000)}`])
    assert.throws(() => openInput(none));
});

test("options from a command line: known names and kinds only", () => {
  assert.equal(hostOptions('{"idleMs":5}').idleMs, 5);
  for (const text of ['{"idleMs":0}', '{"idleMs":"5"}', '{"idle":5}', "[]", '{"privateHosts":[1]}', '{"logLevel":"loud"}', "7"])
    assert.throws(() => hostOptions(text));
  assert.ok(BOUNDS.frameBytes > BOUNDS.pieceBytes * 2);
});
