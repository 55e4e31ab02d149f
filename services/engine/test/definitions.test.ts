import assert from "node:assert/strict";
import { it } from "node:test";
import { canonical } from "@woml/model";
import { definitions, type StoredDefinition } from "../definitions.ts";
import { chain, digest, TENANT } from "./stage.ts";

function given(stored: Map<string, StoredDefinition>) {
  const hashed: string[] = [];
  const queries: number[] = [];
  const loads = definitions({
    digest: (text) => {
      hashed.push(text);
      return digest(text);
    },
    store: {
      definitions: async (wanted) => {
        queries.push(wanted.length);
        return wanted.map(({ version }) => stored.get(version) ?? null);
      },
    },
  });
  return { load: (...versions: string[]) => loads.load(versions.map((version) => ({ tenant: TENANT, version }))), hashed, queries };
}
const text = canonical(chain("a"));
const version = digest(text);

it("asks for each version once a batch, and hashes and judges the same bytes once", async () => {
  const { load, hashed, queries } = given(new Map([[version, { text, sourceMap: null }]]));
  const [first, second] = await load(version, version);
  const [third] = await load(version);
  assert.ok(first && !("refused" in first));
  assert.ok(first === second && first === third);
  assert.deepEqual([queries, hashed], [[1, 1], [text]]);
});

it("judges what has changed since again", async () => {
  const stored = new Map([[version, { text, sourceMap: null }]]);
  const { load } = given(stored);
  await load(version);
  stored.set(version, { text: text.replace("return", "Return"), sourceMap: null });
  assert.match(JSON.stringify(await load(version)), /not the one its hash names/);
  stored.set(version, { text, sourceMap: null });
  assert.doesNotMatch(JSON.stringify(await load(version)), /refused/);
});

it("refuses what is not there, and bytes that match their hash but are no definition", async () => {
  const noDefinition = canonical({ schemaVersion: 1 });
  const noJson = "{";
  const stored = new Map([noDefinition, noJson].map((bytes) => [digest(bytes), { text: bytes, sourceMap: null }]));
  const { load } = given(stored);
  for (const wanted of [version, digest(noDefinition), digest(noJson)]) assert.match(JSON.stringify(await load(wanted)), /refused/);
});

it("forgets what has not been asked for longest", async () => {
  const many = Array.from({ length: 600 }, (_, n) => canonical(chain(`s${n}`)));
  const { load, hashed } = given(new Map(many.map((bytes) => [digest(bytes), { text: bytes, sourceMap: null }])));
  const [first = "", ...rest] = many.map(digest);
  await load(first);
  for (const one of rest) await load(one, first);
  assert.equal(hashed.length, 600);
  await load(rest[0] ?? "");
  assert.equal(hashed.length, 601);
});

it("refuses a definition with a part that this engine does not run, and names the part", async () => {
  const telegram = canonical({ ...chain("a"), triggers: [{ id: "chat", kind: "telegram", events: ["message"], botToken: "BOT" }] });
  const slack = canonical({
    ...chain("a"),
    triggers: [{ id: "chat", kind: "slack", events: ["app-mention"], botToken: "BOT", appToken: "APP" }],
  });
  const { load } = given(new Map([telegram, slack].map((bytes) => [digest(bytes), { text: bytes, sourceMap: null }])));
  const [first, second] = await load(digest(telegram), digest(slack));
  assert.deepEqual(first, { refused: "the stored definition holds what this engine does not run: <telegram>" });
  assert.deepEqual(second, { refused: "the stored definition holds what this engine does not run: <slack>" });
});
