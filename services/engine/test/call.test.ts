import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "@woml/model";
import type { OperationState } from "@woml/run";
import type { ScriptCall } from "@woml/sandbox";
import { asked, difference } from "../perform/call.ts";
import { type Caller, Identities, type Identity } from "../perform/identity.ts";
import { plugins } from "../plugins.ts";
import { MANIFEST, Shop } from "./shop.ts";
import { digest, TENANT } from "./stage.ts";

const TAG = "0123456789abcdef0123456789abcdef";
const shop = new Shop();
const bound = { version: "1.0.0", release: shop.release };
const caller: Caller = {
  origin: "00000000-0000-7000-8000-0000000000ff" as Caller["origin"],
  version: `sha256:${"1".repeat(64)}`,
  task: { site: "a", role: "step", script: { source: "", calls: ["shop.charge", "shop.quote", "shop.nothing", "loose.go"] } },
  secrets: [],
  uses: [
    { alias: "shop", capability: "test.shop", range: "^1", bound },
    { alias: "loose", capability: "test.loose", range: "*" },
  ],
  tag: TAG,
};
const script = (operation: string, input: Json | string, name: string | null = null): ScriptCall => ({
  call: 1,
  operation,
  name,
  input: typeof input === "string" ? input : JSON.stringify(input),
  seen: [],
});
const names = (calls: readonly ScriptCall[], by: Partial<Caller> = {}): readonly Identity[] => {
  const identities = new Identities({ digest }, { ...caller, ...by });
  return calls.map((call) => identities.next(call));
};
const keys = (calls: readonly ScriptCall[], by: Partial<Caller> = {}): readonly string[] => names(calls, by).map(({ key }) => key);

describe("the key of an operation", () => {
  const charge = script("shop.charge", { n: 1, m: 2 });
  it("is the same in every attempt and replay, whatever the order of the input's members, and another for everything else", () => {
    const [key] = keys([charge]);
    // Written down: keys of runs that are stored already may not change.
    assert.equal(key, "261c06efe9450a3d74cf39c4b5bb96e4ca23cc5de28a9a27ad57458ca5065016");
    assert.deepEqual(keys([script("shop.charge", { m: 2, n: 1 })]), [key]);
    assert.deepEqual(keys([charge], { tag: "f".repeat(32) }), [key]);
    const others = [
      ...keys([script("shop.charge", { n: 1 }), script("shop.quote", { n: 1, m: 2 }), script("shop.charge", { n: 1, m: 2 }, "named")]),
      ...keys([charge], { version: `sha256:${"2".repeat(64)}` }),
      ...["b", "a#0", "a#1"].flatMap((site) => keys([charge], { task: { ...caller.task, site } })),
      ...keys([charge], { task: { ...caller.task, site: "@step_success/a#1/1", role: "action" } }),
      ...keys([charge], { origin: "00000000-0000-7000-8000-0000000000fe" as Caller["origin"] }),
    ];
    assert.equal(new Set([key, ...others]).size, 10);
  });
  it("counts equal calls without a name, and does not look at the input of one that has a name", () => {
    const [first, second, other, third] = keys([charge, charge, script("shop.charge", { n: 3 }), charge]);
    assert.equal(new Set([first, second, other, third]).size, 4);
    const [one, two] = keys([script("shop.charge", { n: 1 }, "x"), script("shop.charge", { n: 2 }, "x")]);
    assert.equal(one, two);
  });
  it("holds secrets as handles: of one secret, whatever the tag of the attempt", () => {
    const input = (tag: string): Json => ({ token: `Bearer woml_secret.${tag}.n.API_KEY.` });
    const by = { secrets: ["API_KEY"] };
    const [mine] = names([script("shop.charge", input(TAG))], by);
    const [other] = names([script("shop.charge", input("f".repeat(32)))], { ...by, tag: "f".repeat(32) });
    assert.deepEqual(mine?.inputDigest, other?.inputDigest);
    assert.ok(mine && "stored" in mine.asked);
    assert.deepEqual(mine.asked.stored, { token: { $secret: ["Bearer ", { secret: "API_KEY" }] } });
    const [forged] = names([script("shop.charge", input("e".repeat(32)))]);
    assert.ok(forged && "stored" in forged.asked);
    assert.deepEqual(forged.asked.stored, input("e".repeat(32)), "a handle of another attempt is a text like any other");
  });
  it("holds no secret that the script does not name, however its handle was made", () => {
    const by = { secrets: ["API_KEY"] };
    const hex = Buffer.from('{"base64":["a:",{"url":[{"secret":"OTHER"}]}]}').toString("hex");
    for (const handle of [`n.OTHER.`, `d.${hex}.`]) {
      for (const input of [
        `woml_secret.${TAG}.${handle}`,
        { a: [{ $secret: `woml_secret.${TAG}.n.API_KEY. woml_secret.${TAG}.${handle}` }] },
      ]) {
        const [identity] = names([script("shop.charge", JSON.stringify(input))], by);
        assert.ok(identity && "fault" in identity.asked, JSON.stringify(input));
        assert.deepEqual(identity.asked.fault.code, "WOML_OPERATION_SECRET_UNDECLARED");
      }
    }
  });
});

describe("what a call asks of the run", () => {
  const ask = async (call: ScriptCall, by: Partial<Caller> = {}) => {
    const [identity] = names([call], by);
    if (identity === undefined) throw new Error("no identity");
    return asked(plugins({ store: shop.memory.open(), monotonic: () => 0 }), TENANT, identity);
  };
  it("an operation, with its release, its input as it is stored, and its effect as the manifest judges this input", async () => {
    const wants = await ask(script("shop.charge", { n: 1 }, "first"));
    assert.ok("called" in wants);
    assert.deepEqual(wants.called, {
      ...{ capability: "test.shop", operation: "charge", release: shop.release, name: "first", input: { n: 1 }, timeoutMs: 10_000 },
      inputDigest: digest('{"n":1}'),
      effect: { class: "keyed", windowMs: 3_600_000, conclusiveNotFoundAfterMs: null, pendingMaxMs: null },
    });
  });
  const refusals: readonly (readonly [string, ScriptCall, string])[] = [
    ["input that does not fit the schema", script("shop.charge", { n: "one" }), "WOML_OPERATION_INPUT_INVALID"],
    ["input that is no JSON", script("shop.charge", "{n:1}"), "WOML_OPERATION_INPUT_INVALID"],
    [
      "input with a secret in the name of a member",
      script("shop.quote", { [`woml_secret.${TAG}.n.A.`]: 1 }),
      "WOML_OPERATION_INPUT_INVALID",
    ],
    ["input over the operation's limit", script("shop.quote", { x: "x".repeat(1_000) }), "WOML_OPERATION_INPUT_TOO_LARGE"],
    ["input over the platform's limit", script("shop.quote", { x: "x".repeat(1_048_576) }), "WOML_OPERATION_INPUT_TOO_LARGE"],
    ["an operation that the release does not have", script("shop.nothing", {}), "WOML_OPERATION_UNKNOWN"],
    ["a capability that is bound to no release", script("loose.go", {}), "WOML_CAPABILITY_NOT_GRANTED"],
    ["an empty name", script("shop.quote", {}, ""), "WOML_CALL_OPTIONS_INVALID"],
    ["a name that is too long", script("shop.quote", {}, "n".repeat(129)), "WOML_CALL_OPTIONS_INVALID"],
    ["a name that cannot be printed", script("shop.quote", {}, "a\nb"), "WOML_CALL_OPTIONS_INVALID"],
  ];
  for (const [what, call, code] of refusals)
    it(`refuses ${what}`, async () => {
      const wants = await ask(call);
      assert.ok("refused" in wants);
      assert.deepEqual([wants.refused.code, wants.refused.retryable, wants.refused.ambiguous], [code, false, false]);
    });

  it("nothing that its script was not offered", () => {
    const identities = new Identities({ digest }, caller);
    const offered = ["shop.charge", "shop.refund", "shop", "", "shop.charge.more"].map((operation) =>
      identities.offers(script(operation, {})),
    );
    assert.deepEqual(offered, [true, false, false, false, false]);
  });
  it("refuses what is not granted, revoked or not approved, for now", async () => {
    const codes: (string | boolean)[] = [];
    const changes = [
      (other: Shop) => other.memory.vault.revokeGrant(TENANT, "test.shop"),
      (other: Shop) => other.memory.vault.revoke(other.release),
      (other: Shop) =>
        other.memory.vault.store({
          digest: other.release,
          manifest: "{}",
          artefact: new Uint8Array(),
          capability: "test.shop",
          approved: false,
        }),
    ];
    for (const change of changes) {
      const other = new Shop();
      change(other);
      const [identity] = names([script("shop.charge", { n: 1 })]);
      const wants = identity && (await asked(plugins({ store: other.memory.open(), monotonic: () => 0 }), TENANT, identity));
      assert.ok(wants && "refused" in wants);
      codes.push(wants.refused.code, wants.refused.retryable, wants.refused.ambiguous);
    }
    assert.deepEqual(codes, [
      ...["WOML_CAPABILITY_NOT_GRANTED", true, false, "WOML_PLUGIN_REVOKED", true, false, "WOML_PLUGIN_NOT_APPROVED", true, false],
    ]);
  });
});

it("an objection is not remembered: what is granted now is called now", async () => {
  const other = new Shop();
  other.memory.vault.revokeGrant(TENANT, MANIFEST.id);
  const known = plugins({ store: other.memory.open(), monotonic: () => 0 });
  assert.equal((await known.objection(TENANT, other.release))?.code, "WOML_CAPABILITY_NOT_GRANTED");
  other.memory.vault.grant(TENANT, MANIFEST.id);
  assert.equal(await known.objection(TENANT, other.release), null);
});

it("a manifest is read once, a standing is asked for again after a second, and what is no manifest has no operations", async () => {
  const other = new Shop();
  const store = other.memory.open();
  let [reads, questions, now] = [0, 0, 0];
  const counting = {
    manifest: (release: string) => {
      reads += 1;
      return store.manifest(release);
    },
    standing: (...of: Parameters<typeof store.standing>) => {
      questions += 1;
      return store.standing(...of);
    },
  };
  const known = plugins({ store: counting, monotonic: () => now });
  for (const at of [0, 0, 900, 1_000, 1_900, 2_000]) {
    now = at;
    assert.equal(await known.objection(TENANT, other.release), null);
    assert.equal((await known.promised(other.release, "test.shop", "charge"))?.manifest.id, MANIFEST.id);
  }
  assert.deepEqual([reads, questions], [1, 3]);
  assert.equal(await known.promised(other.release, "another.capability", "charge"), null);
  assert.equal(await known.promised("sha256:unknown", "test.shop", "charge"), null);
  other.memory.vault.store({ digest: "sha256:odd", manifest: '{"id":"test.shop"}', artefact: new Uint8Array(), capability: "test.shop" });
  assert.equal(await known.promised("sha256:odd", "test.shop", "charge"), null);
});

describe("a replayed call", () => {
  const [identity] = names([script("shop.charge", { n: 1 }, "x")]);
  if (identity === undefined) throw new Error("no identity");
  const { capability, operation, name, inputDigest } = identity;
  const seen = [{ answer: 1 }, { timer: 1 }];
  const recorded = { capability, operation, name, inputDigest, seen } as unknown as OperationState;
  it("is the recorded one at the recorded point, or a difference in words", () => {
    assert.equal(difference(recorded, { identity, seen }), null);
    const differences: readonly (readonly [Partial<Identity>, typeof seen, RegExp])[] = [
      [{ operation: "quote" }, seen, /called test\.shop\.quote, and had called test\.shop\.charge/],
      [{ capability: "x" }, seen, /called x\.charge/],
      [{ name: null }, seen, /named the call null/],
      [{ inputDigest: "sha256:other" }, seen, /with another input/],
      [{}, [{ timer: 1 }, { answer: 1 }] as unknown as typeof seen, /at another point/],
      [{}, [{ answer: 1 }] as unknown as typeof seen, /at another point/],
    ];
    for (const [change, moments, words] of differences)
      assert.match(difference(recorded, { identity: { ...identity, ...change }, seen: moments }) ?? "", words);
    assert.match(difference(undefined, { identity, seen }) ?? "", /not recorded/);
  });
});
