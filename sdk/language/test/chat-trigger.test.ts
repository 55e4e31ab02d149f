import assert from "node:assert/strict";
import { test } from "node:test";
import { lowered, told } from "./triggers.ts";

const TOKENS = 'bot-token="{{secrets.BOT}}" app-token="{{secrets.APP}}"';
const slack = (attributes: string): string => `<slack id="c" ${attributes} ${TOKENS} />`;
const discord = (attributes: string): string => `<discord id="c" ${attributes} bot-token="{{secrets.BOT}}" />`;
const telegram = (events: string): string => `<telegram id="c" events="${events}" bot-token="{{secrets.BOT}}" />`;
const whatsapp = (events: string, phone: string): string =>
  `<whatsapp id="c" events="${events}" phone-number-id="${phone}" verify-token="{{secrets.V}}" app-secret="{{secrets.S}}" />`;

test("what chat triggers become", () => {
  assert.deepEqual(lowered(slack('events="direct-message , app-mention" channels="b,a-_1,C0123456789"')), {
    ...{ id: "c", kind: "slack", events: ["app-mention", "direct-message"], channels: ["C0123456789", "a-_1", "b"] },
    ...{ botToken: "BOT", appToken: "APP" },
  });
  assert.deepEqual(lowered(slack('events="app-mention"')), {
    ...{ id: "c", kind: "slack", events: ["app-mention"], botToken: "BOT", appToken: "APP" },
  });
  assert.deepEqual(lowered(telegram("message")), { id: "c", kind: "telegram", events: ["message"], botToken: "BOT" });
  assert.deepEqual(lowered(discord('events="direct-message" channels="12345678901234567, 12345678901234567890"')), {
    ...{ id: "c", kind: "discord", events: ["direct-message"], channels: ["12345678901234567", "12345678901234567890"] },
    botToken: "BOT",
  });
  assert.deepEqual(lowered(whatsapp("message", "123456")), {
    ...{ id: "c", kind: "whatsapp", events: ["message"], phoneNumberId: "123456", verifyToken: "V", appSecret: "S" },
  });
});

const CHANNELS = ["a", "0", "general", `a${"-".repeat(79)}`, "C01234567", "G01234567", "D01234567", `C${"A".repeat(31)}`];
for (const channel of CHANNELS) {
  test(`a channel of Slack: ${channel.slice(0, 20)}`, () =>
    assert.deepEqual(told(slack(`events="app-mention" channels="${channel}"`)), []));
}

const REFUSED: readonly (readonly [string, readonly string[]])[] = [
  [slack('events="message"'), ["SLACK_TRIGGER_EVENT_INVALID message"]],
  [slack('events="app-mention, App-mention"'), ["SLACK_TRIGGER_EVENT_INVALID App-mention"]],
  [slack('events="app-mention,app-mention"'), ["SLACK_TRIGGER_EVENT_DUPLICATE app-mention"]],
  [slack('events=""'), ["SLACK_TRIGGER_LIST_INVALID "]],
  [slack('events="app-mention,"'), ["SLACK_TRIGGER_LIST_INVALID app-mention,"]],
  [slack('events="app-mention, ,direct-message"'), ["SLACK_TRIGGER_LIST_INVALID app-mention, ,direct-message"]],
  [slack('events="app-mention" channels=""'), ["SLACK_TRIGGER_LIST_INVALID "]],
  [slack('events="app-mention" channels="#general"'), ["SLACK_TRIGGER_CHANNEL_INVALID #general"]],
  [slack('events="app-mention" channels="General"'), ["SLACK_TRIGGER_CHANNEL_INVALID General"]],
  [slack('events="app-mention" channels="C0123456"'), ["SLACK_TRIGGER_CHANNEL_INVALID C0123456"]],
  [slack('events="app-mention" channels="a&amp;b"'), ["SLACK_TRIGGER_CHANNEL_INVALID a&amp;b"]],
  [slack('events="app-mention" channels="a,b, a"'), ["SLACK_TRIGGER_CHANNEL_DUPLICATE a"]],
  [slack('events="app-mention" channels="-a"'), ["SLACK_TRIGGER_CHANNEL_INVALID -a"]],
  [slack(`events="app-mention" channels="${"a".repeat(81)}"`), [`SLACK_TRIGGER_CHANNEL_INVALID ${"a".repeat(81)}`]],
  [slack('events="app-mention" message="Hi"'), ["SLACK_UNKNOWN_ATTRIBUTE message"]],
  [telegram("app-mention"), ["TELEGRAM_TRIGGER_EVENT_INVALID app-mention"]],
  [telegram("message, message"), ["TELEGRAM_TRIGGER_EVENT_DUPLICATE message"]],
  [telegram(","), ["TELEGRAM_LIST_INVALID ,"]],
  [discord('events="message"'), ["DISCORD_TRIGGER_EVENT_INVALID message"]],
  [discord('events="app-mention,app-mention"'), ["DISCORD_TRIGGER_EVENT_DUPLICATE app-mention"]],
  [discord('events=" "'), ["DISCORD_LIST_INVALID  "]],
  [discord('events="app-mention" channels="general"'), ["DISCORD_CHANNEL_INVALID general"]],
  [discord('events="app-mention" channels="1234567890123456"'), ["DISCORD_CHANNEL_INVALID 1234567890123456"]],
  [discord('events="app-mention" channels="12345678901234567,12345678901234567"'), ["DISCORD_CHANNEL_DUPLICATE 12345678901234567"]],
  [discord('events="app-mention" channels="12345678901234567,"'), ["DISCORD_LIST_INVALID 12345678901234567,"]],
  [whatsapp("message,message", "123456"), ["WHATSAPP_TRIGGER_EVENT_INVALID message,message"]],
  [whatsapp("", "123456"), ["WHATSAPP_TRIGGER_EVENT_INVALID "]],
  [whatsapp("message", "12345"), ["WHATSAPP_PHONE_NUMBER_ID_INVALID 12345"]],
  [whatsapp("message", "012345"), ["WHATSAPP_PHONE_NUMBER_ID_INVALID 012345"]],
  [whatsapp("message", "+1234567"), ["WHATSAPP_PHONE_NUMBER_ID_INVALID +1234567"]],
  [whatsapp("message", "123456789012345678901"), ["WHATSAPP_PHONE_NUMBER_ID_INVALID 123456789012345678901"]],
];
for (const [trigger, expected] of REFUSED) test(`refused: ${trigger.slice(0, 80)}`, () => assert.deepEqual(told(trigger), expected));

test("what a chat trigger needs has a code of its own", () => {
  const telegramAlone = '<telegram id="c" events="message" />';
  assert.deepEqual(told(telegramAlone), [`TELEGRAM_ATTRIBUTE_REQUIRED ${telegramAlone}`]);
  const slackAlone = `<slack id="c" ${TOKENS} />`;
  assert.deepEqual(told(slackAlone), [`SLACK_ATTRIBUTE_REQUIRED ${slackAlone}`]);
});
