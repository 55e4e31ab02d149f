import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, codes, marked, result, step, workflow } from "./sources.ts";
import { told, triggered } from "./triggers.ts";

const SOUND = "{{secrets.TOKEN}}";
/** By what is written for one credential: an element with that credential, and all else sound. */
const ELEMENTS: readonly (readonly [string, (value: string) => string])[] = [
  ["the secret of a webhook", (value) => `<webhook id="t" path="/" auth="bearer" secret="${value}" />`],
  ["the secret of an event", (value) => `<event id="t" name="a.b" secret="${value}" />`],
  ["the bot of Slack", (value) => `<slack id="t" events="app-mention" bot-token="${value}" app-token="${SOUND}" />`],
  ["the app of Slack", (value) => `<slack id="t" events="app-mention" bot-token="${SOUND}" app-token="${value}" />`],
  ["the bot of Telegram", (value) => `<telegram id="t" events="message" bot-token="${value}" />`],
  ["the bot of Discord", (value) => `<discord id="t" events="app-mention" bot-token="${value}" />`],
  [
    "WhatsApp's word",
    (value) => `<whatsapp id="t" events="message" phone-number-id="123456" verify-token="${value}" app-secret="${SOUND}" />`,
  ],
  [
    "WhatsApp's app",
    (value) => `<whatsapp id="t" events="message" phone-number-id="123456" verify-token="${SOUND}" app-secret="${value}" />`,
  ],
];
for (const [name, trigger] of ELEMENTS) {
  test(name, () => {
    for (const value of [SOUND, "{{secrets.A}}", "{{secrets.A_1}}", `{{secrets.${"A".repeat(128)}}}`])
      assert.deepEqual(told(trigger(value)), []);
    for (const value of ["", "abc", "{{ secrets.TOKEN }}", "secrets.TOKEN", "{{context.payload.token}}"]) {
      assert.deepEqual(told(trigger(value)), [`SECRET_LITERAL_FORBIDDEN ${value}`]);
    }
    for (const value of [
      "{{secrets.token}}",
      "{{secrets.1A}}",
      "Bearer {{secrets.A}}",
      "{{secrets.A}} ",
      "{{secrets.}}",
      "{{secrets.A.B}}",
    ]) {
      assert.deepEqual(told(trigger(value)), [`SECRET_REFERENCE_INVALID ${value}`]);
    }
    const long = `{{secrets.${"A".repeat(129)}}}`;
    assert.deepEqual(told(trigger(long)), [`SECRET_REFERENCE_INVALID ${long}`]);
  });
}

const NO_SINKS: readonly string[] = [
  triggered(`<manual id="${SOUND}" />`),
  triggered(`<webhook id="t" path="${SOUND}" auth="none" />`),
  triggered(`<webhook id="t" path="/" auth="${SOUND}" />`),
  triggered(`<schedule id="t" cron="${SOUND}" />`),
  triggered(`<event id="t" name="${SOUND}" />`),
  triggered(`<slack id="t" events="${SOUND}" bot-token="${SOUND}" app-token="${SOUND}" />`),
  triggered('<manual id="a" />').replace('id="w"', `id="w" name="${SOUND}"`),
  workflow(step("a"), `<config queue="${SOUND}" /><triggers><manual id="go" /></triggers>`),
  workflow(step("a", "return 1;", `description="before {{secrets.A}}"`)),
  workflow(step("a", "return 1;", `secret="${SOUND}"`)),
  workflow(choose("c", SOUND, [step("x") + result("{{context.steps.x}}"), step("y") + result("{{context.steps.y}}")])),
  workflow(
    `<switch value="{{context.payload.a}}"><case value="${SOUND}">${step("x")}</case><default>${step("y")}</default></switch>${step("z")}`,
  ),
];
for (const text of NO_SINKS) {
  test(`no place for a secret: ${text.slice(0, 120)}`, () => {
    assert.deepEqual(codes(text), ["WOML_SECRET_SINK_UNSUPPORTED"]);
    assert.match(marked(text)[0] ?? "", /\{\{secrets\.[A-Z]+\}\}$/);
  });
}

test("a message has no place for a secret either, with blanks or without", () => {
  for (const message of [SOUND, "key: {{ secrets.TOKEN }}!"]) {
    const text = workflow(
      step("a"),
      `<lifecycle><on-error><notify><telegram chats="1" bot-token="${SOUND}" message="${message}" /></notify></on-error></lifecycle><triggers><manual id="go" /></triggers>`,
    );
    assert.deepEqual(codes(text), ["WOML_SECRET_SINK_UNSUPPORTED"]);
    assert.deepEqual(marked(text), [message]);
  }
});

test("what only looks like a secret is a text", () => {
  assert.deepEqual(codes(workflow(step("a", "return 1;", 'name="{{ secrets.A }} and secrets.B"'))), []);
});
