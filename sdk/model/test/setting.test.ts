import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptSetting } from "../accept-setting.ts";
import type { Trigger } from "../trigger.ts";

const hmac = { scheme: "hmac", header: "x-signature", algorithm: "sha256", encoding: "hex", secrets: ["A"] };
const eight = Array.from({ length: 8 }, (_, at) => `S${at}`);

test("what may be set for a trigger is taken as it is, in a copy", () => {
  for (const [kind, setting] of [
    ["manual", {}],
    ["webhook", { verification: { scheme: "github", secrets: ["A"] } }],
    ["webhook", { verification: { scheme: "standard", secrets: eight } }],
    ["webhook", { verification: { ...hmac, prefix: "sha256=", deliveryHeader: "x-delivery" } }],
    ["schedule", { repeatedHour: "once", catchUp: 1_000 }],
    ["interval", { catchUp: 1 }],
  ] as const) {
    const accepted = acceptSetting(setting, kind);
    assert.deepEqual(accepted, { setting });
    assert.notEqual("setting" in accepted && accepted.setting, setting);
  }
});

const REFUSED: readonly (readonly [kind: Trigger["kind"], setting: unknown, ...faults: readonly string[]])[] = [
  ["webhook", null, ": must be object"],
  ["webhook", "once", ": must be object"],
  ["webhook", { retries: 3 }, "/retries: unknown property"],
  ["webhook", { verification: 7 }, "/verification: must be an object with a scheme: standard, github, stripe, slack or hmac"],
  [
    "webhook",
    { verification: { ...hmac, scheme: "basic" } },
    "/verification: must be an object with a scheme: standard, github, stripe, slack or hmac",
  ],
  [
    "webhook",
    { verification: { scheme: "hmac", secrets: ["A"] } },
    "/verification: must have required properties header, algorithm, encoding",
  ],
  ["webhook", { verification: { ...hmac, realm: "x" } }, "/verification/realm: unknown property"],
  ["webhook", { verification: { ...hmac, algorithm: "md5" } }, "/verification/algorithm: must be sha1, sha256, sha384 or sha512"],
  ["webhook", { verification: { ...hmac, encoding: "utf8" } }, "/verification/encoding: must be hex, base64 or base64url"],
  ["webhook", { verification: { ...hmac, secrets: [] } }, "/verification/secrets: must not have fewer than 1 items"],
  ["webhook", { verification: { ...hmac, secrets: ["A", "A"] } }, "/verification/secrets: must not have duplicate items"],
  ["webhook", { verification: { ...hmac, secrets: [...eight, "A"] } }, "/verification/secrets: must not have more than 8 items"],
  ["schedule", { repeatedHour: "never" }, "/repeatedHour: must be each or once"],
  ["schedule", { catchUp: 0 }, "/catchUp: must be >= 1"],
  ["schedule", { catchUp: 1_001 }, "/catchUp: must be <= 1000"],
  ["schedule", { verification: hmac }, "/verification: belongs to triggers of kind webhook; this one is schedule"],
  ["interval", { repeatedHour: "once" }, "/repeatedHour: belongs to triggers of kind schedule; this one is interval"],
  ["manual", { catchUp: 1 }, "/catchUp: belongs to triggers of kind schedule or interval; this one is manual"],
  ["webhook", { catchUp: Number.NaN }, "/catchUp: "],
];
for (const [kind, setting, ...faults] of REFUSED)
  test(`for a ${kind}: ${JSON.stringify(setting)} is refused by its place`, () => {
    const accepted = acceptSetting(setting, kind);
    const found = "faults" in accepted ? accepted.faults.map(({ path, message }) => `${path}: ${message}`) : [];
    assert.equal(found.length, faults.length, found.join());
    for (const [at, fault] of faults.entries()) assert.ok(found[at]?.startsWith(fault), `${found[at]} is not ${fault}`);
  });
