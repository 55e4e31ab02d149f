import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { approvalToken, asRunId, asTenantId, parseApprovalToken } from "../index.ts";

const derive = (seed: string, label: string): string => createHmac("sha256", seed).update(label).digest("hex");
const key = {
  tenant: asTenantId("019a0000-0000-7000-8000-00000000000a"),
  run: asRunId("019a0000-0000-7000-8000-00000000000b"),
  site: "approve",
};

test("a token names its approval, and its secret is derived from the seed", () => {
  for (const site of ["a", "ok", "the-chief-approves", "x".repeat(256)]) {
    const token = approvalToken({ ...key, site }, "seed", derive);
    const name = Buffer.from(`${key.tenant}.${key.run}.${site}`).toString("base64url");
    assert.equal(token, `apr_${name}.${derive("seed", `approval ${site}`)}`);
    assert.deepEqual(parseApprovalToken(token), { ...key, site, secret: derive("seed", `approval ${site}`) });
  }
});

test("another run's seed, or another approval, gives another secret", () => {
  const secretOf = (site: string, seed: string): string => approvalToken({ ...key, site }, seed, derive).split(".")[1] ?? "";
  assert.equal(new Set([secretOf("a", "s"), secretOf("b", "s"), secretOf("a", "t")]).size, 3);
});

test("what is no token is none, whatever it looks like", () => {
  const token = approvalToken(key, "seed", derive);
  const [name = "", secret = ""] = token.slice(4).split(".");
  const named = (text: string): string => `apr_${Buffer.from(text).toString("base64url")}.${secret}`;
  const texts = [
    ...[
      "",
      "apr_",
      token.slice(4),
      `${token} `,
      `${token}0`,
      token.toUpperCase(),
      `apr_${name}.`,
      `apr_.${secret}`,
      `apr_${name}=.${secret}`,
    ],
    ...[named("x"), named(`${key.tenant}.${key.run}.`), named(`${key.tenant}.${key.run}`), named(`${key.tenant}.${key.run}.a b`)],
    ...[named(`${key.tenant}.x.approve`), named(`${key.tenant}.${key.run}.ä`), `apr_${"A".repeat(2_000)}.${secret}`],
  ];
  for (const text of texts) assert.equal(parseApprovalToken(text), null, text);
});
