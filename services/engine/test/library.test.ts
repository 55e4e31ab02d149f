import assert from "node:assert/strict";
import { it } from "node:test";
import { asTenantId, type TenantId } from "@woml/run";
import { ModuleFault, openLibrary } from "../library.ts";
import { digest, TENANT } from "./stage.ts";

const OTHER = asTenantId("00000000-0000-7000-8000-00000000000b");

function given(stored: Map<string, string>) {
  const asked: string[] = [];
  const gate = { promise: Promise.resolve() };
  const library = openLibrary({
    digest,
    store: {
      modules: async (tenant: TenantId, digests) => {
        asked.push(...digests.map((one) => `${tenant === TENANT ? "" : "other "}${one.slice(0, 12)}`));
        await gate.promise;
        return new Map(digests.flatMap((one) => (stored.has(one) ? [[one, stored.get(one) ?? ""] as const] : [])));
      },
    },
  });
  return { library, asked, gate };
}
const stored = (...texts: readonly string[]): Map<string, string> => new Map(texts.map((text) => [digest(text), text]));
const short = (text: string): string => digest(text).slice(0, 12);

it("texts are read once, for all who ask at the same time and later, of each tenant its own", async () => {
  const { library, asked } = given(stored("a", "b"));
  const a = { alias: "x", digest: digest("a") };
  const b = { alias: "y", digest: digest("b") };
  const [first, second] = await Promise.all([library.modules(TENANT, [a, b]), library.modules(TENANT, [b, { ...a, alias: "z" }])]);
  assert.deepEqual(first, [
    { ...a, text: "a" },
    { ...b, text: "b" },
  ]);
  assert.deepEqual(second, [
    { ...b, text: "b" },
    { alias: "z", digest: a.digest, text: "a" },
  ]);
  await library.modules(TENANT, [a]);
  await library.modules(OTHER, [a]);
  assert.deepEqual(asked, [short("a"), short("b"), `other ${short("a")}`]);
});

it("what is not stored, or is another text than its digest names, is refused each time; what the store cannot answer is asked again", async () => {
  const { library, asked, gate } = given(new Map([[digest("a"), "b"]]));
  const wrong = [{ alias: "x", digest: digest("a") }];
  const absent = [{ alias: "x", digest: digest("c") }];
  const is = (message: RegExp) => (error: unknown) => error instanceof ModuleFault && message.test(error.message);
  for (let n = 0; n < 2; n++) await assert.rejects(library.modules(TENANT, wrong), is(/^the stored module is not the one that sha256:/));
  await assert.rejects(library.modules(TENANT, absent), is(/^the module sha256:[0-9a-f]+ is not stored$/));
  gate.promise = Promise.reject(new Error("down"));
  await assert.rejects(library.modules(TENANT, absent), /down/);
  assert.equal(asked.length, 4);
});

it("forgets what has not been used for longest", async () => {
  const texts = Array.from({ length: 30 }, (_, n) => `${n} ${"x".repeat(3_000_000)}`);
  const { library, asked } = given(stored(...texts));
  const use = (n: number) => library.modules(TENANT, [{ alias: "x", digest: digest(texts[n] ?? "") }]);
  for (let n = 0; n < 20; n++) await use(n);
  await use(0);
  for (let n = 20; n < 30; n++) await use(n);
  asked.length = 0;
  await use(0);
  assert.deepEqual(asked, []);
  await use(1);
  assert.deepEqual(asked, [short(texts[1] ?? "")]);
});
