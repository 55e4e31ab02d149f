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
