import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { RunRow, TenantScope } from "@woml/prisma";
import { approvalToken, asTenantId, type RunEvent } from "@woml/run";
import { approvalPage, refusedPage } from "../approval-page.ts";
import { findByToken, type Held } from "../approval-token.ts";
import { mintRunId } from "../ids.ts";
import { stubStore } from "./stub.ts";

const DAY_MS = 86_400_000;
const ASKED_AT = 1_000_000;
const key = { tenant: asTenantId("019a0000-0000-7000-8000-00000000000a"), run: mintRunId(), site: "ok" };
const token = approvalToken(key, "seed", (seed, label) => createHmac("sha256", seed).update(label).digest("hex"));
const admitted = { workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: 1, seed: "seed", labels: [] };

/** The approval as its token shows it at `now`, of a workflow whose author called it so. */
function heldAt(now: number, words: object = {}, deadlineAt: number | null = null): Promise<Held> {
  const log: readonly RunEvent[] = [
    { seq: 1, at: 1, type: "run_admitted", data: admitted },
    { seq: 4, at: ASKED_AT, type: "approval_requested", data: { node: "ok", deadlineAt, onTimeout: "fail" } },
  ];
  const plain = {
    workflow: "w",
    version: "v",
    labels: [],
    head: 4,
    at: ASKED_AT,
    held: null,
    heldAt: null,
    waitingFor: null,
    nextDue: null,
  };
  const row: RunRow = { ...plain, id: key.run, status: "waiting", owner: null };
  const definition = JSON.stringify({
    nodes: [
      { kind: "step", id: "s" },
      { kind: "approval", id: "ok", ...words },
    ],
  });
  const version = { hash: "v", workflow: "w", definition, source: null, sourceMap: null, createdAt: 1 };
  const scope: Partial<TenantScope> = {
    ...{ events: async () => [log], run: async () => row, now: async () => now, version: async () => version },
  };
  return findByToken(stubStore({ withTenant: (_, work) => work(scope as TenantScope) }), token);
}

test("a token opens its approval for a day from when it was asked for, and no longer than the approval waits", async () => {
  const standing = async (now: number, deadlineAt: number | null = null): Promise<readonly boolean[]> => {
    const { isOpen, isTokenOver } = await heldAt(now, {}, deadlineAt);
    return [isOpen, isTokenOver];
  };
  assert.deepEqual(await standing(ASKED_AT), [true, false]);
  assert.deepEqual(await standing(ASKED_AT + DAY_MS - 1), [true, false]);
  assert.deepEqual(await standing(ASKED_AT + DAY_MS), [false, true]);
  assert.deepEqual(await standing(ASKED_AT + 9, ASKED_AT + 10), [true, false]);
  assert.deepEqual(await standing(ASKED_AT + 10, ASKED_AT + 10), [false, false]);
});

test("the page says what its author said of it, as text, and holds buttons only while it can be decided", async () => {
  const words = { name: `<b>"Pay" & 'go'</b>`, description: "<script>alert(1)</script>" };
  const page = approvalPage(await heldAt(ASKED_AT, words, ASKED_AT + 10));
  assert.ok(!/<b>"Pay|<script/.test(page), page);
  assert.match(page, /<h1>&#60;b&#62;&#34;Pay&#34; &#38; &#39;go&#39;&#60;\/b&#62;<\/h1>/);
  assert.match(page, /waits until 1970-01-01T00:16:40.010Z.*<form method="post">/s);
  const later = approvalPage(await heldAt(ASKED_AT + DAY_MS));
  assert.match(later, /<h1>ok<\/h1>.*older than a day/s);
  assert.ok(!later.includes("<form"));
  assert.ok(!refusedPage("<i>", "<u>").match(/<[iu]>/));
});
