import assert from "node:assert/strict";
import { test } from "node:test";
import { openClient } from "../index.ts";
import { connection, platform } from "./platform.ts";

const answer = (data: object): { readonly body: object } => ({ body: { data } });
const KEY = { id: "abcdefgh", tenant: "t1", scopes: ["tenant"], createdAt: "2026-12-01T00:00:00.000Z" };

test("tenants and keys are made, listed page by page, and revoked", async (t) => {
  const { url, asked } = await platform(
    t,
    answer({ tenants: connection([{ id: "t1", name: "acme" }], "c", true) }),
    answer({ createKey: { id: "abcdefgh", key: "woml_x" } }),
    answer({ keys: connection([KEY], "d", false) }),
    answer({ revokeKey: { key: KEY } }),
  );
  const client = openClient(url, "k");
  assert.deepEqual(await client.tenants({ first: 1 }), { items: [{ id: "t1", name: "acme" }], hasNextPage: true, endCursor: "c" });
  assert.deepEqual(await client.createKey({ tenant: "t1" }), { id: "abcdefgh", key: "woml_x" });
  assert.deepEqual((await client.keys({ tenant: "t1" })).items, [KEY]);
  assert.deepEqual(await client.revokeKey("abcdefgh"), KEY);
  assert.deepEqual(
    asked.map(({ variables }) => variables),
    [{ first: 1 }, { input: { tenant: "t1" } }, { tenant: "t1" }, { input: { key: "abcdefgh" } }],
  );
});
