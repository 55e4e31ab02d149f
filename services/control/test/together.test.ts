import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Together } from "../together.ts";

/** Questions that a test answers when it likes. */
function asking() {
  const open: PromiseWithResolvers<string>[] = [];
  const together = new Together<string>();
  const ask = (key: string): Promise<string> =>
    together.ask(key, () => {
      const question = Promise.withResolvers<string>();
      open.push(question);
      return question.promise;
    });
  return { open, ask };
}

test("who comes while it is being asked is told the next answer, and all who do are told one", async () => {
  const { open, ask } = asking();
  const first = ask("a");
  const later = [ask("a"), ask("a"), ask("a")];
  assert.equal(open.length, 1);
  open[0]?.resolve("before they came");
  assert.equal(await first, "before they came");
  await turn();
  assert.equal(open.length, 2);
  const last = ask("a");
  open[1]?.resolve("after");
  assert.deepEqual(await Promise.all(later), ["after", "after", "after"]);
  await turn();
  open[2]?.resolve("last");
  assert.equal(await last, "last");
  assert.equal(open.length, 3);
});

test("other questions are others', what failed fails those alone who asked it, and nothing is kept", async () => {
  const { open, ask } = asking();
  const [a, b, again] = [ask("a"), ask("b"), ask("a")];
  assert.equal(open.length, 2);
  open[0]?.reject(new Error("no"));
  open[1]?.resolve("b");
  await assert.rejects(a, /no/);
  assert.equal(await b, "b");
  await turn();
  open[2]?.resolve("yes");
  assert.equal(await again, "yes");
  await turn();
  const anew = ask("a");
  open[3]?.resolve("anew");
  assert.equal(await anew, "anew");
});
