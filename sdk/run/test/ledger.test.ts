import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ledger } from "../ledger.ts";

test("a ledger holds what a map holds, and every older one stays as it was", () => {
  const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("__proto__", "constructor", "toString"));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat())), (puts) => {
      let now = ledger<number>();
      const map = new Map<string, number>();
      for (const [name, value] of puts) {
        const before = now;
        const old = map.get(name);
        now = now.with(name, value);
        map.set(name, value);
        assert.equal(before.get(name), old);
        assert.equal(before.has(name), old !== undefined);
      }
      assert.equal(now.size, map.size);
      assert.deepEqual(new Map(now.entries()), map);
    }),
  );
});

test("so does a large one, from which things are taken again", () => {
  const name = fc.nat(6_000).map((at) => `charge#${at}`);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 300 }), fc.array(name, { maxLength: 300 }), (gone, put) => {
      const keys = Array.from({ length: 5_000 }, (_, at) => `charge#${at}`);
      const whole = keys.reduce((now, key, at) => now.with(key, at), ledger<number>());
      const map = new Map(keys.map((key, at) => [key, at]));
      const left = put.reduce((now, key) => now.with(key, -1), whole.without(gone));
      for (const key of gone) map.delete(key);
      for (const key of put) map.set(key, -1);
      assert.deepEqual([left.size, whole.size], [map.size, keys.length]);
      assert.deepEqual(new Map(left.entries()), map);
      for (const key of [...gone, ...put]) assert.equal(left.get(key), map.get(key));
      assert.ok(keys.every((key, at) => whole.get(key) === at));
      assert.equal(left.without(["nobody"]), left);
    }),
    { numRuns: 10 },
  );
});
