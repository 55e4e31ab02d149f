import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, placeForFile } from "./place.ts";

const place = placeForFile();

const MARK = `woml_secret.${"0a".repeat(16)}.`;
const secrets = { KEY: `${MARK}n.KEY.`, PASS: `${MARK}n.PASS.` };

type Part = string | { readonly secret: string } | { readonly base64: readonly Part[] } | { readonly url: readonly Part[] };
/** What a derived handle says. */
function partOf(handle: string): Part {
  const [, hex = ""] = handle.match(/^woml_secret\.[0-9a-f]{32}\.d\.([0-9a-f]+)\.$/) ?? [];
  assert.notEqual(hex, "", handle);
  return JSON.parse(Buffer.from(hex, "hex").toString("utf8")) as Part;
}

test("handles, never values: they are read, joined, and derived by base64 and URL", async () => {
  const { door } = place;
  const run = async (text: string, more: object = { secrets }) => {
    const { result, failure } = await door.invoke(asked(`return ${text}`, more));
    return result === undefined ? failure?.name : JSON.parse(result);
  };
  assert.deepEqual(await run("[secrets.KEY, 'Bearer ' + secrets.PASS]"), [secrets.KEY, `Bearer ${secrets.PASS}`]);
  const shape =
    "[Object.keys(secrets), Object.isFrozen(secrets), Object.getPrototypeOf(secrets), typeof secrets.OTHER, typeof secrets.toString]";
  assert.deepEqual(await run(shape), [["KEY", "PASS"], true, null, "undefined", "undefined"]);
  assert.deepEqual(partOf(await run("btoa('user:' + secrets.KEY)")), { base64: ["user:", { secret: "KEY" }] });
  assert.deepEqual(partOf(await run("btoa(secrets.KEY + secrets.PASS + '\\u00e4\"')")), {
    base64: [{ secret: "KEY" }, { secret: "PASS" }, 'ä"'],
  });
  assert.deepEqual(partOf(await run("encodeURIComponent('€ ' + secrets.KEY + '/')")), { url: ["€ ", { secret: "KEY" }, "/"] });
  assert.deepEqual(partOf(await run("encodeURIComponent('a' + btoa(secrets.KEY) + 'b')")), {
    url: ["a", { base64: [{ secret: "KEY" }] }, "b"],
  });
  assert.deepEqual(await run("[btoa('plain'), encodeURIComponent('a b€')]"), ["cGxhaW4=", "a%20b%E2%82%AC"]);
  assert.deepEqual(await run("[btoa('plain'), encodeURIComponent('a b'), Object.keys(secrets)]", {}), ["cGxhaW4=", "a%20b", []]);
  assert.equal(await run("btoa('€' + secrets.KEY)"), "InvalidCharacterError");
});

test("what only looks like a handle is a text", async () => {
  const { door } = place;
  const run = async (text: string) => JSON.parse((await door.invoke(asked(`return ${text}`, { secrets }))).result ?? "null");
  const plain = [
    `${MARK}n.A-B.`,
    `${MARK}x.KEY.`,
    `${MARK}d.0.`,
    `${MARK}d..`,
    `${MARK}n.KEY`,
    `woml_secret.${"1b".repeat(16)}.n.KEY.`,
    MARK,
  ];
  for (const text of plain) assert.equal(await run(`btoa(${JSON.stringify(text)})`), btoa(text), text);
  const mixed = `${MARK}n.A-B.${MARK}n.KEY.`;
  assert.deepEqual(partOf(await run(`btoa(${JSON.stringify(mixed)})`)), { base64: [`${MARK}n.A-B.`, { secret: "KEY" }] });
});
