// Whatever a stranger sends to a door is answered with a code of the door's, and starts nothing that was not asked for.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { asTenantId } from "@woml/run";
import { hooked, openGiving, postTo, setSecret } from "./hooked.ts";
import { openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const giveDoors = await openGiving(opened);
const tenant = await opened.tenant("odd-hooks");
const SET = "mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { id } } }";
const SCHEMES = ["standard", "github", "stripe", "slack"] as const;

before(async () => {
  await publishText(tenant, hooked("bearer", { auth: 'auth="bearer" secret="{{secrets.ODD}}"' }));
  await setSecret(tenant, "ODD", "odd");
  for (const scheme of SCHEMES) {
    await publishText(tenant, hooked(scheme));
    const setting = { verification: { scheme, secrets: ["ODD"] } };
    await tenant.field("setTrigger", SET, { input: { workflow: scheme, trigger: "in", setting } });
  }
  await giveDoors();
});

const NAMES = [
  ...[
    "authorization",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "x-hub-signature-256",
    "x-github-delivery",
    "stripe-signature",
  ],
  ...["x-slack-signature", "x-slack-request-timestamp", "idempotency-key", "content-type", "traceparent"],
];
const now = String(Math.floor(Date.now() / 1_000));
const VALUES = [
  ...[
    "",
    "Bearer ",
    "Bearer od",
    "Bearer odd\t1",
    "v1,",
    "v1,AAAA v1,",
    `t=${now},v1=`,
    "t=,v1=,",
    `t=${now},t=${now},v1=00`,
    "sha256=",
    "v0=",
  ],
  ...[now, "-1", "1e9", "application/json", "text/plain", "/", "a".repeat(600), "!#$%&'*+.^_`|~"],
];
const BODIES: readonly (string | Uint8Array)[] = [
  ...["", "{", "{}", "[]", "null", '{"__proto__":1}', '{"a":1e999}', "\ufeff{}", "[".repeat(3_000), '"\\u0000"'],
  Uint8Array.of(0xff, 0xfe),
];
const PLACES = ["bearer", ...SCHEMES, "none", "bearer/", "bearer?x=/t/other", ""];
const METHODS = ["POST", "POST", "POST", "PUT", "PATCH", "DELETE"];
const CODES = new Set([
  ...["WOML_TRIGGER_UNAUTHORIZED", "WOML_TRIGGER_PAYLOAD_INVALID", "WOML_TRIGGER_NOT_FOUND"],
  ...["WOML_IDEMPOTENCY_KEY_INVALID", "WOML_TRIGGER_METHOD_NOT_ALLOWED"],
]);

/** Drawn from a number, so that what failed can be drawn again. */
function drawing(seed: number): <T>(from: readonly T[]) => T {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)] ?? assert.fail("nothing to draw from");
  };
}

test("strangers with odd headers, bodies, methods and paths are answered, and nobody without the secret starts anything", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const draw = drawing(seed * 7_919);
    const sent = Object.fromEntries(Array.from({ length: draw([0, 1, 2, 4, 6]) }, () => [draw(NAMES), draw(VALUES)]));
    const answer = await post(`/t/odd-hooks/hooks/${draw(PLACES)}`, { method: draw(METHODS), headers: sent, body: draw(BODIES) });
    const seen = `${seed}: ${answer.status} ${JSON.stringify(answer.body)}`;
    assert.ok(answer.status >= 400 && answer.status < 500, seen);
    assert.ok(CODES.has(answer.body.error?.code ?? ""), seen);
  }
  const started = await opened.store.withTenant(asTenantId(tenant.id), (scope) =>
    scope.startedIn(["bearer", ...SCHEMES].map((id) => `trigger:${id}:in`)),
  );
  assert.equal(started.size, 0);
});
