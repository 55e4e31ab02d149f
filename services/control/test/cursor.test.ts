import assert from "node:assert/strict";
import { test } from "node:test";
import { type List, readCursor, showCursor } from "../cursor.ts";
import { ApiError } from "../errors.ts";
import { FIRST_MAX, pageAsk } from "../page.ts";

const RUN = "019a0000-0000-7000-8000-000000000001";
const KEYS: Readonly<Record<List, string>> = {
  workflow: "order-router",
  trigger: "order-router/nightly",
  version: `sha256:${"a".repeat(64)}`,
  run: RUN,
  ...{ event: "17", step: "17", operation: "17", choice: "17", group: "17", hook: "17", warning: "17" },
  verification: `${RUN}/${RUN}`,
  plugin: `sha256:${"b".repeat(64)}`,
  audit: RUN,
  delivery: RUN,
  key: "abcdefgh",
  tenant: RUN,
};
const lists = Object.keys(KEYS) as List[];
const isRefused = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test("a cursor comes back as the key it was made of, in its own list only", () => {
  for (const list of lists) {
    const cursor = showCursor(list, KEYS[list]);
    assert.equal(readCursor(list, cursor), KEYS[list]);
    for (const other of lists) if (other !== list) assert.throws(() => readCursor(other, cursor), isRefused("WOML_CURSOR_INVALID"));
  }
});

test("nothing is no cursor, and anything else is refused", () => {
  assert.equal(readCursor("run", null), null);
  assert.equal(readCursor("run", undefined), null);
  const spoilt = `${showCursor("run", RUN)}A`;
  for (const text of ["", "x", "%", "\0", spoilt, `${showCursor("run", RUN)}=`, showCursor("event", "0"), showCursor("event", "1e3")]) {
    assert.throws(() => readCursor("run", text), isRefused("WOML_CURSOR_INVALID"), text);
    assert.throws(() => readCursor("event", text), isRefused("WOML_CURSOR_INVALID"), text);
  }
});

test("a page has 1 to 100 items, 20 when nothing is said", () => {
  assert.equal(pageAsk("run", {}).first, 20);
  assert.equal(pageAsk("run", { first: null }).first, 20);
  assert.equal(pageAsk("run", { first: FIRST_MAX }).first, FIRST_MAX);
  for (const first of [0, -1, FIRST_MAX + 1]) assert.throws(() => pageAsk("run", { first }), isRefused("WOML_PAGE_SIZE_INVALID"));
});
