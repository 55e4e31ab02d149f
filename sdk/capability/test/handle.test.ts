import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { handleOf, handlesIn, type Json, type Part, plainForm, storedForm } from "../index.ts";

const TAG = "0123456789abcdef0123456789abcdef";
const OTHER = "f".repeat(32);
const hex = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("hex");
const derived = (part: unknown, tag = TAG): string => `woml_secret.${tag}.d.${hex(part)}.`;
const stored = (value: Json, tag = TAG): Json => {
  const form = storedForm(value, tag);
  assert.ok("stored" in form, "fault" in form ? form.fault : "");
  return form.stored;
};
const none = (): string => assert.fail("no secret was there");
const KEY = handleOf(TAG, "API_KEY");

test("a handle alone is stored by its name, a text with one by its parts", () => {
  assert.deepEqual(stored({ a: KEY }), { a: { $secret: "API_KEY" } });
  assert.deepEqual(stored(`Bearer ${KEY}!`), { $secret: ["Bearer ", { secret: "API_KEY" }, "!"] });
  assert.deepEqual(stored([KEY + KEY]), [{ $secret: [{ secret: "API_KEY" }, { secret: "API_KEY" }] }]);
  assert.deepEqual(stored(`Basic ${derived({ base64: ["me:", { secret: "PW" }] })}`), {
    $secret: ["Basic ", { base64: ["me:", { secret: "PW" }] }],
  });
});

test("H3: a derived handle of a plain secret is that secret, and another tag gives the same", () => {
  assert.deepEqual(stored(derived({ secret: "API_KEY" })), stored(KEY));
  assert.deepEqual(stored(`x${handleOf(OTHER, "API_KEY")}`, OTHER), stored(`x${KEY}`));
});

test("H1: what is malformed or of another tag is text", () => {
  const inert = [
    handleOf(OTHER, "API_KEY"),
    KEY.slice(0, -1),
    `woml_secret.${TAG}.n..`,
    `woml_secret.${TAG}.n.1A.`,
    `woml_secret.${TAG}.n.${"A".repeat(129)}.`,
    `woml_secret.${TAG}.x.API_KEY.`,
    `woml_secret.${TAG}.d.0.`,
    `woml_secret.${TAG}.d.ff.`,
    `woml_secret.${TAG}.d.7b.`,
    KEY.toUpperCase(),
    derived("text"),
    derived(null),
    derived({}),
    derived({ secret: "no name" }),
    derived({ secret: "A", base64: [] }),
    derived({ base64: "A" }),
    derived({ base64: [1] }),
    derived({ url: ["\0"] }),
    `woml_secret.${TAG}.d.${Buffer.from('{"url":["\\ud800"]}').toString("hex")}.`,
    derived(Array.from({ length: 20 }).reduce<unknown>((inner) => ({ url: [inner] }), { secret: "A" })),
  ];
  for (const text of inert) {
    assert.equal(stored(text), text);
    assert.deepEqual(stored({ [text]: text }), { [text]: text });
    assert.deepEqual(handlesIn(stored([text])), []);
  }
});

test("a literal around a malformed handle stays one literal", () => {
  assert.deepEqual(stored(`a${derived(null)}b${KEY}`), { $secret: [`a${derived(null)}b`, { secret: "API_KEY" }] });
});

test("a handle in the name of a member is a fault", () => {
  for (const value of [{ [KEY]: 1 }, { a: [{ [`x${KEY}`]: 1 }] }, { [derived({ url: [{ secret: "A" }] })]: 1 }]) {
    assert.ok("fault" in storedForm(value, TAG));
  }
});

test("H2: a member that an author calls $secret is no secret", () => {
  const forged: Json = { $secret: "API_KEY", a: { $$secret: [{ secret: "API_KEY" }] }, b: [{ $secret: [{ secret: "X" }] }] };
  assert.deepEqual(stored(forged), {
    $$secret: "API_KEY",
    a: { $$$secret: [{ secret: "API_KEY" }] },
    b: [{ $$secret: [{ secret: "X" }] }],
  });
  assert.deepEqual(handlesIn(stored(forged)), []);
  assert.deepEqual(plainForm(stored(forged), none), forged);
});

test("handlesIn looks into derived parts; each name once", () => {
  const value = [KEY, `a${handleOf(TAG, "B")}`, derived({ base64: [{ url: [{ secret: "C" }] }, { secret: "B" }] })];
  assert.deepEqual(handlesIn(stored(value)), ["API_KEY", "B", "C"]);
});

test("what storedForm never gives is refused", () => {
  for (const value of [{ $secret: 1 }, { $secret: "A", b: 1 }, { $secret: "a b" }, { $secret: [{ secret: "A" }, 1] }, { $secret: null }]) {
    assert.throws(() => plainForm(value as Json, none), TypeError);
  }
});

const member = fc.oneof(fc.string(), fc.constantFrom("$secret", "$$secret", "$$$secret", "secret", "__proto__", "constructor"));
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, 0, "$secret", handleOf(OTHER, "A"), derived({ secret: "A" }, OTHER)),
    fc.string(),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.array(fc.tuple(member, tie("json")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

test("property: plainForm of storedForm is the value, where there are no handles", () => {
  fc.assert(
    fc.property(json, (value) => {
      assert.deepEqual(plainForm(stored(value), none), value);
    }),
    { numRuns: 500 },
  );
});

const name = fc.constantFrom("A", "B_1", "_c");
const part: fc.Arbitrary<Part> = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small" },
    name.map((secret) => ({ secret })),
    fc
      .array(
        fc.oneof(
          fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
          tie("part"),
        ),
        { maxLength: 3 },
      )
      .map((base64) => ({ base64 })),
    fc.array(tie("part"), { maxLength: 3 }).map((url) => ({ url })),
  ),
})).part;

test("property: with handles, plainForm places each text where it stood, and gives all the rest back", () => {
  const text = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), part), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.tuple(json, text)), (items) => {
      const written = items.map(([value, parts]) => [
        value,
        parts.map((one) => (typeof one === "string" ? one : "secret" in one ? handleOf(TAG, one.secret) : derived(one))).join(""),
      ]);
      const spell = (parts: readonly Part[]): string =>
        parts.map((one) => (typeof one === "string" ? one : "secret" in one ? handleOf(TAG, one.secret) : derived(one))).join("");
      assert.deepEqual(plainForm(stored(written), spell), written);
    }),
    { numRuns: 500 },
  );
});
