import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { manifestOf } from "@woml/capability";
import { conforms, type Provider, type ProviderRequest } from "@woml/capability/conforms";
import plugin from "../plugin.ts";

/** Acme in a few lines: charges and holds know their key, refunds do not. */
function acme(): Provider {
  const effects: { readonly path: string; readonly key: string | undefined; readonly json: unknown }[] = [];
  const find = (path: string, key: string | undefined) =>
    effects.findIndex((one) => one.path === path && one.key === key && key !== undefined);
  const shown = (at: number) => ({ id: `p${at}`, status: "succeeded", ...(effects[at]?.json as object) });
  return {
    effects: () => effects.length,
    respond({ method, url, headers, json }: ProviderRequest) {
      const { pathname, searchParams } = new URL(url);
      const [, asked] = /^\/charges\/by-key\/(.+)$/.exec(pathname) ?? [];
      const key = headers["idempotency-key"];
      if (headers["authorization"] !== "Bearer secret:ACME_API_KEY") return { status: 401 };
      if (pathname === "/quotes") {
        const amount = Number(searchParams.get("amount"));
        return { status: 200, json: { amount, fee: 1, total: amount + 1, currency: searchParams.get("currency") ?? "" } };
      }
      if (method === "GET") {
        const at = find("/charges", asked);
        return at < 0 ? { status: 404 } : { status: 200, json: { status: "succeeded", charge: shown(at) } };
      }
      const before = pathname === "/refunds" ? -1 : find(pathname, key);
      if (before >= 0) return { status: 200, json: shown(before) };
      return { status: 201, json: shown(effects.push({ path: pathname, key, json }) - 1) };
    },
  };
}

const payment = { amount: 1_000, currency: "EUR", customer: "cu_1" };
const checks = await conforms(plugin, {
  provider: acme,
  examples: [
    { operation: "quote", input: { amount: 1_000, currency: "EUR" }, refused: [{ amount: 0, currency: "EUR" }, { amount: 1 }] },
    {
      operation: "charge",
      input: payment,
      refused: [
        { ...payment, currency: "euro" },
        { ...payment, amount: 1.5 },
      ],
    },
    { operation: "hold", input: payment, refused: [{ ...payment, key: "mine" }] },
    { operation: "refund", input: { charge: "p0", amount: 5, currency: "EUR" }, refused: [{ charge: "", amount: 5, currency: "EUR" }] },
  ],
});
for (const { name, message } of checks) test(name, () => assert.equal(message, ""));

test("manifest.json is that of plugin.ts; npm run manifest writes it", () => {
  const written: unknown = JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8"));
  assert.deepEqual(written, manifestOf(plugin));
});
