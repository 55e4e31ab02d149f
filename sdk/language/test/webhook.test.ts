import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "./sources.ts";
import { lowered, told, triggered } from "./triggers.ts";

const hook = (attributes: string): string => `<webhook id="h" ${attributes} />`;
const at = (path: string): string => hook(`path="${path}" auth="none"`);

const PATHS = ["/", "/a", "/a/b", "/A.b_c~d-e/0", "/..", "/_womla", "/a/_woml", `/${"a".repeat(2_047)}`];
for (const path of PATHS) {
  test(`the path of a webhook: ${path.slice(0, 20)}`, () => {
    assert.deepEqual(told(at(path)), []);
    assert.deepEqual(lowered(at(path)), { id: "h", kind: "webhook", path });
  });
}

const NO_PATHS = ["", "a", "//", "/a/", "/a//b", "/a b", "/:id", "/{id}", "/é", "/a?b", "/a#b", "/%41", "/_woml", "/_woml/events"];
for (const path of [...NO_PATHS, `/${"a".repeat(2_048)}`]) {
  test(`no path of a webhook: ${path.slice(0, 20)}`, () => assert.deepEqual(told(at(path)), [`WEBHOOK_PATH_INVALID ${path}`]));
}

test("a webhook is called by POST", () => {
  assert.deepEqual(told(hook('path="/" auth="none" method="POST"')), []);
  for (const method of ["GET", "post", "", "POST "]) {
    assert.deepEqual(told(hook(`path="/" auth="none" method="${method}"`)), [`WEBHOOK_METHOD_UNSUPPORTED ${method}`]);
  }
});

test("a webhook says who may call it", () => {
  assert.deepEqual(lowered(hook('path="/" auth="bearer" secret="{{secrets.TOKEN_2}}"')), {
    id: "h",
    kind: "webhook",
    path: "/",
    secret: "TOKEN_2",
  });
  assert.deepEqual(told(hook('path="/"')), ['MISSING_ATTRIBUTE <webhook id="h" path="/" />']);
  assert.deepEqual(told(hook('path="/" auth="basic"')), ["WEBHOOK_AUTH_INVALID basic"]);
  assert.deepEqual(told(hook('path="/" auth="bearer"')), ['WEBHOOK_AUTH_INVALID <webhook id="h" path="/" auth="bearer" />']);
  assert.deepEqual(told(hook('path="/" auth="none" secret="{{secrets.A}}"')), ["WEBHOOK_AUTH_INVALID secret"]);
  assert.deepEqual(told(hook('path="/" auth="basic" secret="{{secrets.A}}"')), ["WEBHOOK_AUTH_INVALID basic"]);
});

test("a trigger is known by its id", () => {
  assert.deepEqual(told('<manual id="a" /><event id="a" name="a.b" />'), ["TRIGGER_ID_DUPLICATE a"]);
  assert.deepEqual(told('<manual id="s" />'), []);
  assert.deepEqual(told('<event id="A" name="a.b" />'), ["INVALID_ID A"]);
  assert.deepEqual(told('<interval every="1s" />'), ['MISSING_ATTRIBUTE <interval every="1s" />']);
});

test("where each trigger stands is kept", () => {
  const text = triggered('<manual id="a" /><interval id="b" every="1s" />');
  const spans = check(text).spans?.subjects;
  const shown = ["trigger:a", "trigger:b"].map((subject) => {
    const span = spans?.get(subject);
    return text.slice(span?.start.offset, span?.end.offset);
  });
  assert.deepEqual(shown, ['<manual id="a" />', '<interval id="b" every="1s" />']);
});

const EVENTS = ["order.created", "a-b", "a_b", "a1.2b-c_d", `a.${"b".repeat(254)}`];
for (const name of EVENTS) {
  test(`the name of an event: ${name.slice(0, 20)}`, () => {
    assert.deepEqual(lowered(`<event id="e" name="${name}" />`), { id: "e", kind: "signal", name });
  });
}

const NO_EVENTS = ["", " ", "order", "Order.created", "1a.b", "a.", ".a", "a..b", "a.-b", "a b.c", "a.B", "é.a", `a.${"b".repeat(255)}`];
for (const name of NO_EVENTS) {
  test(`no name of an event: ${name.slice(0, 20)}`, () =>
    assert.deepEqual(told(`<event id="e" name="${name}" />`), [`EVENT_NAME_INVALID ${name}`]));
}

test("an event may be sent from outside by who knows its secret", () => {
  assert.deepEqual(lowered('<event id="e" name="a.b" secret="{{secrets.A}}" />'), { id: "e", kind: "signal", name: "a.b", secret: "A" });
});
