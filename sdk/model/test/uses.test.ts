import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonical, type Definition, isRange, type Json } from "../index.ts";
import { accepted, flow, refused } from "./given.ts";

function using(uses: Definition["uses"], script: object): Definition {
  const given = flow();
  const [first] = given.nodes;
  assert.ok(first?.kind === "step");
  Object.assign(first.script, script);
  return uses === undefined ? given : { ...given, uses };
}
const http = { alias: "http", capability: "http", range: "*" };
const payments = { alias: "payments", capability: "acme.payments", range: "^1" };

test("a definition that uses nothing has the hash it had before definitions could", () => {
  const hash = createHash("sha256")
    .update(canonical(accepted(flow()) as Json))
    .digest("hex");
  assert.equal(hash, "a56a55f85618cd3bec0efa261f9fdf276707c429725760f43c2ca4a5f5eabbac");
});

test("the order of uses, calls and secrets means nothing", () => {
  const one = using([payments, http], { calls: ["payments.quote", "http.request"], secrets: ["B", "A"] });
  const other = using([http, payments], { calls: ["http.request", "payments.quote"], secrets: ["A", "B"] });
  assert.equal(canonical(accepted(one) as Json), canonical(accepted(other) as Json));
});

test("a release is bound by version and digest, and nothing else is", () => {
  const release = `sha256:${"0".repeat(64)}`;
  const bound = { version: "1.2.0", release };
  assert.deepEqual(accepted(using([{ ...payments, bound }], {})).uses, [{ ...payments, bound }]);
  for (const wrong of [{ version: "1.2.0" }, { ...bound, release: "sha256:0" }, { ...bound, url: "https://example.com" }]) {
    const given = { ...flow(), uses: [{ ...payments, bound: wrong }] };
    assert.match(refused(given)[0]?.path ?? "", /^\/uses\/0\/bound/);
  }
});

test("ids, aliases, calls and secrets have forms, and none stands twice", () => {
  for (const uses of [[], [{ ...http, capability: "Http" }], [{ ...http, capability: "a..b" }], [{ ...http, alias: "a-b" }]]) {
    assert.equal(refused({ ...flow(), uses })[0]?.code, "WOML_DEFINITION_INVALID");
  }
  const scripts = [{ calls: [] }, { calls: ["http"] }, { calls: ["http.Request"] }, { calls: ["http.get", "http.get"] }];
  for (const script of [...scripts, { secrets: ["A-B"] }, { secrets: ["__proto__"] }, { secrets: ["A", "A"] }, { secrets: [] }]) {
    assert.equal(refused(using([http], script))[0]?.code, "WOML_DEFINITION_INVALID");
  }
});

test("ranges of versions that can be read", () => {
  const readable = [
    "*",
    "x",
    "1",
    "1.x",
    "1.2",
    "1.2.x",
    "1.x.x",
    "0.0.0",
    "1.2.3",
    "=1.2.3",
    "^1",
    "~1.2",
    "^0.1.2",
    ">=1.2.0 <2.0.0",
    ">1 <=3",
  ];
  for (const range of readable) assert.equal(isRange(range), true, range);
  const others = [
    "",
    " ",
    "latest",
    "v1",
    "01",
    "1.02",
    "1.2.3.4",
    "1.2.3-rc.1",
    "^",
    "^^1",
    "1 || 2",
    "1.2 - 2",
    "> 1",
    "1  2",
    " 1",
    "1\n",
    "^*",
  ];
  for (const range of [...others, "1.x.3", "9999999999", `1${" 1".repeat(32)}`]) assert.equal(isRange(range), false, range);
});
