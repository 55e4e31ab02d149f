import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BOUNDS } from "../bounds.ts";
import type { Module } from "../frames.ts";
import { Shelf, supply, type Text, textsOf, tooMuch } from "../shelf.ts";

const text = (name: string, bytes = 1): Text => ({ digest: name, text: "x".repeat(bytes) });
const named = ({ digest }: Text) => ({ alias: "a", digest });

/** Both ends of a line. */
function line() {
  const [sender, receiver] = [new Shelf<true>(), new Shelf<string>()];
  const sent: string[] = [];
  const send = (frame: Module): void => {
    sent.push(frame.digest);
    receiver.put(frame, frame.text);
  };
  return {
    use: (...texts: readonly Text[]) => supply(sender, texts, send),
    has: (...texts: readonly Text[]) => textsOf(receiver, texts.map(named)),
    sent,
  };
}

test("a text goes over once, and is there for whoever names it later", () => {
  const { use, has, sent } = line();
  const [a, b] = [text("a"), text("b", 2)];
  use(a, a);
  use(b, a);
  assert.deepEqual(
    [sent, has(a, b, a)],
    [
      ["a", "b"],
      [a, b],
    ],
  );
  assert.equal(has(text("c")), undefined);
  assert.deepEqual(textsOf(new Shelf()), []);
});

test("the oldest give way to count and to length, and go over again when they are named again", () => {
  const { use, has, sent } = line();
  const many = Array.from({ length: BOUNDS.modules }, (_, n) => text(`m${n}`));
  use(...many);
  assert.equal(has(...many)?.length, BOUNDS.modules);
  use(text("more"));
  assert.deepEqual([has(text("m0")), has(text("m1"))?.length, has(text("more"))?.length], [undefined, 1, 1]);
  sent.length = 0;
  const large = Array.from({ length: 11 }, (_, n) => text(`l${n}`, BOUNDS.moduleBytes));
  for (const one of large) use(one);
  assert.deepEqual(
    [sent.length, has(text("m1")), has(large[0] ?? text("")), has(...large.slice(1))?.length],
    [11, undefined, undefined, 10],
  );
  use(...large.slice(0, 10));
  assert.equal(has(...large.slice(0, 10))?.length, 10);
});

test("whatever is named in whatever order: all of one script is there when it is run, and both ends have the same", () => {
  const sizes = [1, 1_000, BOUNDS.moduleBytes / 2, BOUNDS.moduleBytes];
  const texts = Array.from({ length: 24 }, (_, n) => text(`t${n}`, sizes[n % sizes.length]));
  const script = fc.uniqueArray(fc.constantFrom(...texts), { maxLength: 16, selector: ({ digest }) => digest });
  const runs = fc.array(script, { maxLength: 12 });
  fc.assert(
    fc.property(runs, (all) => {
      const { use, has } = line();
      for (const one of all) {
        if (tooMuch(new Shelf(), one) !== undefined) continue;
        use(...one);
        assert.equal(has(...one)?.length, one.length);
      }
    }),
    { numRuns: 40 },
  );
});

test("what cannot be there together is refused: one that is too large, or all of them", () => {
  const large = Array.from({ length: 11 }, (_, n) => text(`l${n}`, BOUNDS.moduleBytes));
  assert.equal(tooMuch(new Shelf(), large.slice(0, 10)), undefined);
  assert.match(tooMuch(new Shelf(), large) ?? "", /modules of more than 33554432 bytes/);
  assert.equal(tooMuch(new Shelf(), Array<Text>(20).fill(large[0] ?? text(""))), undefined);
  assert.match(tooMuch(new Shelf(), [text("l", BOUNDS.moduleBytes + 1)]) ?? "", /a module of more than 3145728 bytes/);
});
