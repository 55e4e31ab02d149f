import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { Verification } from "@woml/model";
import { byBearer } from "../hook-verify/bearer.ts";
import type { Came, KnownSecret, Verdict } from "../hook-verify/came.ts";
import { matching } from "../hook-verify/compare.ts";
import { judge } from "../hook-verify/judge.ts";

const NOW = 1_700_000_000_000;
const OLD: KnownSecret = { name: "OLD", value: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };
const NEW: KnownSecret = { name: "NEW", value: "a plain text" };

function came(body: string | Uint8Array, headers: Readonly<Record<string, string>>, now = NOW): Came {
  return { header: (name) => headers[name.toLowerCase()] ?? null, bytes: Buffer.from(body), now };
}
const signed = (key: string | Uint8Array, text: string, encoding: "hex" | "base64" = "hex", algorithm = "sha256"): string =>
  createHmac(algorithm, key).update(text).digest(encoding);
const by = (scheme: "standard" | "github" | "stripe" | "slack"): Verification => ({ scheme, secrets: ["OLD", "NEW"] });
const KEY = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");

describe("Standard Webhooks", () => {
  const BODY = '{\n\t"b" :  1.0,\n  "a":[ ]  }\n';
  const standard = (signatures: string, over: Readonly<Record<string, string>> = {}, body = BODY): Verdict => {
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(NOW / 1_000), "webhook-signature": signatures, ...over };
    return judge(came(body, headers), by("standard"), [OLD, NEW]);
  };
  const good = signed(KEY, `msg_1.${NOW / 1_000}.${BODY}`, "base64");

  it("PC-01 takes the bytes as they came, with whatever white space", () => {
    assert.deepEqual(standard(`v1,${good}`), { secret: "OLD", delivery: "msg_1" });
    assert.deepEqual(standard(`v1,${good}`, {}, JSON.stringify(JSON.parse(BODY))), { reason: "signature_mismatch" });
  });
  it("PC-02 takes any of several signatures by any of several secrets, and says by which", () => {
    const other = signed("nobody's", "x", "base64");
    const next = signed(NEW.value, `msg_1.${NOW / 1_000}.${BODY}`, "base64");
    assert.deepEqual(standard(`v1,${other} v1,${good}`), { secret: "OLD", delivery: "msg_1" });
    assert.deepEqual(standard(`v1a,${good} v1,${next}`), { secret: "NEW", delivery: "msg_1" });
    assert.deepEqual(standard(`v1,${other} v1,${other}`), { reason: "signature_mismatch" });
  });
  it("takes a secret without the prefix as a text and as base64", () => {
    const plain = { name: "P", value: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(NOW / 1_000), "webhook-signature": `v1,${good}` };
    assert.deepEqual(judge(came(BODY, headers), by("standard"), [plain]), { secret: "P", delivery: "msg_1" });
  });
  it("takes nothing by a secret that has the prefix and is no base64: what is left of it may be an empty key", () => {
    for (const value of ["whsec_", "whsec_$$$$", "whsec_A", "whsec_ä", "whsec_MfKQ9r8G KYqrTwjU"]) {
      const read = Buffer.from(value.slice(6), "base64");
      const signature = signed(read, `msg_1.${NOW / 1_000}.${BODY}`, "base64");
      const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(NOW / 1_000), "webhook-signature": `v1,${signature}` };
      assert.deepEqual(judge(came(BODY, headers), by("standard"), [{ name: "P", value }]), { reason: "signature_mismatch" }, value);
    }
  });
  it("takes nothing whose time is more than 300 s off, or is not signed with it", () => {
    const at = (seconds: number): Verdict =>
      standard(`v1,${signed(KEY, `msg_1.${seconds}.${BODY}`, "base64")}`, { "webhook-timestamp": String(seconds) });
    for (const off of [-300, 300]) assert.deepEqual(at(NOW / 1_000 + off), { secret: "OLD", delivery: "msg_1" });
    for (const off of [-301, 301]) assert.deepEqual(at(NOW / 1_000 + off), { reason: "timestamp_out_of_range" });
    assert.deepEqual(standard(`v1,${good}`, { "webhook-timestamp": String(NOW / 1_000 + 1) }), { reason: "signature_mismatch" });
    for (const odd of ["", "1e9", "-1", "soon", "0x10"])
      assert.deepEqual(standard(`v1,${good}`, { "webhook-timestamp": odd }), { reason: "timestamp_out_of_range" }, odd);
  });
  it("takes nothing under another id, without one, or without a signature of a version that is known", () => {
    assert.deepEqual(standard(`v1,${good}`, { "webhook-id": "msg_2" }), { reason: "signature_mismatch" });
    assert.deepEqual(standard(`v1,${good}`, { "webhook-id": "" }), { reason: "signature_missing" });
    assert.deepEqual(standard(good), { reason: "signature_malformed" });
    assert.deepEqual(judge(came(BODY, {}), by("standard"), [OLD]), { reason: "signature_missing" });
  });
});

describe("presets", () => {
  it("takes what GitHub's own documentation shows", () => {
    const secret = { name: "G", value: "It's a Secret to Everybody" };
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const headers = { "x-hub-signature-256": signature, "x-github-delivery": "d-1" };
    assert.deepEqual(judge(came("Hello, World!", headers), by("github"), [NEW, secret]), { secret: "G", delivery: "d-1" });
    assert.deepEqual(judge(came("Hello, World?", headers), by("github"), [secret]), { reason: "signature_mismatch" });
    assert.deepEqual(judge(came("Hello, World!", {}), by("github"), [secret]), { reason: "signature_missing" });
  });
  it("takes what Slack's own documentation shows, within its time", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      "x-slack-request-timestamp": "1531420618",
    };
    const secret = { name: "S", value: "8f742231b10e8888abcd99yyyzzz85a5" };
    const at = (now: number, over = {}): Verdict => judge(came(body, { ...headers, ...over }, now), by("slack"), [secret]);
    assert.deepEqual(at(1_531_420_700_000), { secret: "S", delivery: null });
    assert.deepEqual(at(NOW), { reason: "timestamp_out_of_range" });
    assert.deepEqual(at(1_531_420_700_000, { "x-slack-request-timestamp": "1531420619" }), { reason: "signature_mismatch" });
  });
  it("takes Stripe's header with one of several signatures and one time alone", () => {
    const body = '{"id":"evt_1"}';
    const t = NOW / 1_000;
    const v1 = signed(OLD.value, `${t}.${body}`);
    const stripe = (header: string): Verdict => judge(came(body, { "stripe-signature": header }), by("stripe"), [NEW, OLD]);
    assert.deepEqual(stripe(`t=${t},v1=${"0".repeat(64)},v1=${v1},v0=1`), { secret: "OLD", delivery: null });
    assert.deepEqual(stripe(`t=${t},v0=${v1}`), { reason: "signature_malformed" });
    assert.deepEqual(stripe(`t=${t},t=${t - 1},v1=${v1}`), { reason: "signature_malformed" });
    assert.deepEqual(stripe(`v1=${v1}`), { reason: "timestamp_missing" });
    assert.deepEqual(stripe(`t=${t - 301},v1=${signed(OLD.value, `${t - 301}.${body}`)}`), { reason: "timestamp_out_of_range" });
  });
});

describe("a declared HMAC", () => {
  const declared = (over: object): Verification =>
    ({ scheme: "hmac", header: "X-Tawk-Signature", algorithm: "sha1", encoding: "hex", secrets: ["OLD"], ...over }) as Verification;

  it("PC-04 takes a bare hex HMAC in a header of its own, in either case", () => {
    const signature = signed(OLD.value, "body", "hex", "sha1");
    for (const given of [signature, signature.toUpperCase()])
      assert.deepEqual(judge(came("body", { "x-tawk-signature": given }), declared({}), [OLD]), { secret: "OLD", delivery: null });
    assert.deepEqual(judge(came("bodY", { "x-tawk-signature": signature }), declared({}), [OLD]), { reason: "signature_mismatch" });
    assert.deepEqual(judge(came("body", { "x-other": signature }), declared({}), [OLD]), { reason: "signature_missing" });
  });
  it("takes any of its algorithms and encodings, after its prefix, and the delivery's own header", () => {
    for (const algorithm of ["sha1", "sha256", "sha384", "sha512"] as const) {
      for (const encoding of ["hex", "base64", "base64url"] as const) {
        const setting = declared({ algorithm, encoding, prefix: "v=", deliveryHeader: "X-Id" });
        const given = createHmac(algorithm, OLD.value).update("body").digest(encoding);
        const of = (text: string): Verdict => judge(came("body", { "x-tawk-signature": text, "x-id": "7" }), setting, [NEW, OLD]);
        assert.deepEqual(of(`v=${given}`), { secret: "OLD", delivery: "7" }, `${algorithm} ${encoding}`);
        assert.deepEqual(of(given), { reason: "signature_malformed" });
        assert.deepEqual(of(`v=${given.slice(1)}`), { reason: "signature_mismatch" });
      }
    }
  });
});

describe("a bearer", () => {
  it("is the secret itself, whole", () => {
    const of = (authorization: string): Verdict => byBearer(came("", { authorization }), { name: "B", value: "s3cret" });
    for (const good of ["Bearer s3cret", "bearer   s3cret "]) assert.deepEqual(of(good), { secret: "B", delivery: null });
    for (const bad of ["Bearer s3cre", "Bearer s3cretx", "Bearer ", "Basic s3cret", "s3cret", "Bearer s3cret s3cret"])
      assert.deepEqual(of(bad), { reason: "bearer_mismatch" }, bad);
    assert.deepEqual(byBearer(came("", {}), { name: "B", value: "s3cret" }), { reason: "bearer_missing" });
  });
});

describe("comparing", () => {
  it("X1 leaves it to timingSafeEqual over digests, here and nowhere else", () => {
    const folder = new URL("../hook-verify/", import.meta.url);
    const texts = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }));
    const compare = texts.find(({ name }) => name === "compare.ts")?.text ?? "";
    assert.match(compare, /return timingSafeEqual\(digest\(given\), digest\(expected\)\);/);
    for (const { name, text } of texts) {
      assert.doesNotMatch(text, /\b(?:signature|given|expected|value|authorization)\s*[!=]==?\s*(?!null\b|undefined\b)[\w"'`$]/, name);
      if (name !== "compare.ts") assert.doesNotMatch(text, /hmac\([^;]*\)\s*[!=]==/, name);
    }
  });
  it("X2 tries every secret and every signature, whichever fits", () => {
    const tried: string[] = [];
    const secrets = ["a", "b", "c"].map((name) => ({ name, value: name }));
    const found = matching(["b"], secrets, ({ name, value }) => {
      tried.push(name);
      return [value];
    });
    assert.equal(found, "b");
    assert.deepEqual(tried, ["a", "b", "c"]);
  });
});
