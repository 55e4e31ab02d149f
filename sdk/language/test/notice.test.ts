import assert from "node:assert/strict";
import { test } from "node:test";
import { unsupported } from "@woml/model";
import { checkWith, importing, provider, told as toldWith, withImports } from "./definitions.ts";
import { check, codes, marked, step, workflow } from "./sources.ts";

const TRIGGERS = '<triggers><manual id="go" /></triggers>';
const asking = (inside: string): string => `<approval id="ask"><notify>${inside}</notify><when-approved /><when-rejected /></approval>`;
const approval = (inside: string): string => workflow(asking(inside));
const hook = (inside: string): string =>
  workflow(step("one"), `<lifecycle><on-error><notify>${inside}</notify></on-error></lifecycle>${TRIGGERS}`);
const told = (text: string): readonly string[] => codes(text).map((code, at) => `${code.replace("WOML_", "")} ${marked(text)[at]}`);

interface Written {
  readonly [attribute: string]: string | null;
}
const tag = (name: string, attributes: Written): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => (value === null ? "" : ` ${key}="${value}"`))
    .join("")} />`;
const slack = (more: Written = {}): string =>
  tag("slack", { channels: "#ops C0123456789", "bot-token": "{{secrets.BOT}}", "app-token": "{{secrets.APP}}", ...more });
const telegram = (more: Written = {}): string => tag("telegram", { chats: "-100123, 5", "bot-token": "{{secrets.BOT}}", ...more });
const discord = (more: Written = {}): string => tag("discord", { channels: "12345678901234567", "bot-token": "{{secrets.BOT}}", ...more });
const whatsapp = (more: Written = {}): string =>
  tag("whatsapp", {
    recipients: "15551234567",
    "access-token": "{{secrets.TOKEN}}",
    "phone-number-id": "123456",
    template: "a_b",
    language: "en",
    ...more,
  });
const PROVIDERS = { slack, telegram, discord, whatsapp };

test("an approval tells all four, and is lowered with them in their order", () => {
  const { definition, diagnostics } = check(approval(slack() + telegram() + discord() + whatsapp({ language: "pt_BR" })));
  assert.deepEqual(diagnostics, []);
  const node = definition?.nodes.find(({ kind }) => kind === "approval");
  assert.ok(node?.kind === "approval");
  assert.deepEqual(node.notices, [
    { provider: "slack", channels: ["#ops", "C0123456789"], botToken: "BOT", appToken: "APP" },
    { provider: "telegram", chats: ["-100123", "5"], botToken: "BOT" },
    { provider: "discord", channels: ["12345678901234567"], botToken: "BOT" },
    {
      ...{ provider: "whatsapp", recipients: ["15551234567"], accessToken: "TOKEN" },
      ...{ phoneNumberId: "123456", template: "a_b", language: "pt_BR" },
    },
  ]);
});

test("what cannot be run of it yet is found at the tags of the providers", () => {
  const two = slack({ message: "a" }) + telegram({ message: "b" });
  for (const text of [approval(slack() + telegram()), hook(`${two}</notify><script>1;</script><notify>${discord({ message: "c" })}`)]) {
    const { definition, spans } = check(text);
    assert.ok(definition);
    for (const { feature, subject } of unsupported(definition).filter((one) => one.subject.startsWith("notice:"))) {
      assert.ok(text.startsWith(`<${feature} `, spans?.subjects.get(subject)?.start.offset), subject);
    }
  }
});

test("a hook may tell several, in several lists", () => {
  const message = "It failed.";
  const both = hook(slack({ message }) + whatsapp({ message })).replace(
    "</on-error>",
    `<notify>${telegram({ message })}</notify></on-error>`,
  );
  assert.deepEqual(told(both), []);
  assert.deepEqual(
    check(both).definition?.lifecycle?.[0]?.actions.map(
      (action) => action.kind === "notify" && action.notices.map(({ provider: name }) => name),
    ),
    [["slack", "whatsapp"], ["telegram"]],
  );
});

for (const text of [
  approval(slack({ channels: `#${"a".repeat(80)}` })),
  approval(slack({ channels: `#0-_\n\t#z C${"A".repeat(8)} G${"9".repeat(31)} ` })),
  approval(telegram({ chats: `${"9".repeat(20)},-1 , 7` })),
  approval(discord({ channels: `${"1".repeat(17)},\n${"2".repeat(20)}` })),
  approval(whatsapp({ recipients: `${"1".repeat(8)},${"9".repeat(16)}`, "phone-number-id": "1".repeat(20), language: "fil" })),
  approval(slack({ channels: "#ops" }) + slack({ channels: "#ops", "bot-token": "{{secrets.OTHER}}" })),
  approval(telegram({ chats: "5" }) + telegram({ chats: "5", "bot-token": "{{secrets.OTHER}}" })),
  approval(whatsapp() + whatsapp({ "phone-number-id": "654321" })),
  workflow(`${asking(telegram())}${asking(telegram()).replace('"ask"', '"again"')}`),
]) {
  test(`taken: ${text.slice(text.indexOf("<notify"), text.indexOf("<when"))}`, () => {
    assert.deepEqual(told(text), []);
  });
}

const DIGITS = "1".repeat(17);
for (const [inside, ...expected] of [
  ["", "NOTIFY_EMPTY <notify>"],
  ["<!-- nobody -->", "NOTIFY_EMPTY <notify>"],
  ["hello", "UNEXPECTED_CONTENT hello"],
  [slack({ channels: "" }), "SLACK_CHANNELS_EMPTY "],
  [slack({ channels: " \n" }), "SLACK_CHANNELS_EMPTY  \n"],
  [slack({ channels: "#ops general" }), "SLACK_CHANNEL_INVALID general"],
  [slack({ channels: "#ops,#all" }), "SLACK_CHANNEL_INVALID #ops,#all"],
  [slack({ channels: "#Ops #" }), "SLACK_CHANNEL_INVALID #Ops", "SLACK_CHANNEL_INVALID #"],
  [slack({ channels: `#${"a".repeat(81)}` }), `SLACK_CHANNEL_INVALID #${"a".repeat(81)}`],
  [slack({ channels: "D012345678" }), "SLACK_CHANNEL_INVALID D012345678"],
  [slack({ channels: "C0123456" }), "SLACK_CHANNEL_INVALID C0123456"],
  [slack({ channels: "#ops #all #ops" }), "SLACK_CHANNEL_DUPLICATE #ops"],
  [slack({ channels: "#ops #all" }) + slack({ channels: "#new #all" }), "SLACK_CHANNEL_DUPLICATE #all"],
  [telegram({ chats: "" }), "TELEGRAM_LIST_INVALID "],
  [telegram({ chats: "5,,6" }), "TELEGRAM_LIST_INVALID 5,,6"],
  [telegram({ chats: "5, " }), "TELEGRAM_LIST_INVALID 5, "],
  [telegram({ chats: "5,@me" }), "TELEGRAM_CHAT_INVALID @me"],
  [telegram({ chats: "05" }), "TELEGRAM_CHAT_INVALID 05"],
  [telegram({ chats: "1".repeat(21) }), `TELEGRAM_CHAT_INVALID ${"1".repeat(21)}`],
  [telegram({ chats: "5 6" }), "TELEGRAM_CHAT_INVALID 5 6"],
  [telegram({ chats: "5, 5" }), "TELEGRAM_CHAT_DUPLICATE 5"],
  [telegram({ chats: "5" }) + telegram({ chats: "6,5" }), "TELEGRAM_CHAT_DUPLICATE 5"],
  [discord({ channels: `${DIGITS},` }), `DISCORD_LIST_INVALID ${DIGITS},`],
  [discord({ channels: "general" }), "DISCORD_CHANNEL_INVALID general"],
  [discord({ channels: "1".repeat(16) }), `DISCORD_CHANNEL_INVALID ${"1".repeat(16)}`],
  [discord({ channels: "1".repeat(21) }), `DISCORD_CHANNEL_INVALID ${"1".repeat(21)}`],
  [discord({ channels: `${DIGITS}, ${DIGITS}` }), `DISCORD_CHANNEL_DUPLICATE ${DIGITS}`],
  [whatsapp({ recipients: "" }), "WHATSAPP_RECIPIENT_INVALID "],
  [whatsapp({ recipients: "+15551234567" }), "WHATSAPP_RECIPIENT_INVALID +15551234567"],
  [whatsapp({ recipients: "1234567" }), "WHATSAPP_RECIPIENT_INVALID 1234567"],
  [whatsapp({ recipients: "15551234567,15551234567" }), "WHATSAPP_RECIPIENT_DUPLICATE 15551234567"],
  [whatsapp() + whatsapp({ template: "other" }), "WHATSAPP_RECIPIENT_DUPLICATE 15551234567"],
  [whatsapp({ "phone-number-id": "12345" }), "WHATSAPP_PHONE_NUMBER_ID_INVALID 12345"],
  [whatsapp({ "phone-number-id": "+123456" }), "WHATSAPP_PHONE_NUMBER_ID_INVALID +123456"],
  [whatsapp({ template: "Order" }), "WHATSAPP_TEMPLATE_INVALID Order"],
  [whatsapp({ template: "" }), "WHATSAPP_TEMPLATE_INVALID "],
  ...["en-US", "EN", "english", "en_us", ""].map((language) => [whatsapp({ language }), `WHATSAPP_LANGUAGE_INVALID ${language}`] as const),
  [
    slack({ "bot-token": "xoxb-1" }) + slack({ "bot-token": "xoxb-1" }),
    "SECRET_LITERAL_FORBIDDEN xoxb-1",
    "SECRET_LITERAL_FORBIDDEN xoxb-1",
  ],
  [telegram({ chats: "{{secrets.CHAT}}" }), "SECRET_SINK_UNSUPPORTED {{secrets.CHAT}}"],
] as const) {
  test(`${expected.join()}: ${inside}`, () => {
    assert.deepEqual(told(approval(inside)), expected);
  });
}

for (const [name, written] of Object.entries(PROVIDERS)) {
  const family = name.toUpperCase();
  test(`${name}: an approval is its own message, a hook says one`, () => {
    assert.deepEqual(told(approval(written({ message: "Please decide." }))), [`${family}_UNKNOWN_ATTRIBUTE message`]);
    assert.deepEqual(told(hook(written())), [`${family}_ATTRIBUTE_REQUIRED ${written()}`]);
    assert.deepEqual(told(hook(written({ message: "It failed." }))), []);
    assert.deepEqual(told(hook(written({ mesage: "It failed." }))), [`${family}_UNKNOWN_ATTRIBUTE mesage`]);
    assert.deepEqual(told(hook(`<${name} />`)), [`${family}_ATTRIBUTE_REQUIRED <${name} />`]);
  });
}

test("a provider that an import brings says its message too, also under a name of the language", () => {
  const files = { "tg.woml": provider('<prop name="room" />') };
  const text = withImports('<module name="telegram" from="./tg.woml" />', hook('<telegram room="5" message="It failed." />'));
  assert.deepEqual(toldWith(text, files), ["WOML_BUILTIN_PROVIDER_SHADOWED telegram"]);
  const silent = withImports('<module name="telegram" from="./tg.woml" />', hook('<telegram room="5" />'));
  assert.deepEqual(toldWith(silent, files).slice(1), ['WOML_REUSABLE_PROVIDER_MESSAGE_REQUIRED <telegram room="5" />']);
});

const chat = (message: string): string =>
  importing(step("one"), `<lifecycle><on-error><notify><chat room="a" message="${message}" /></notify></on-error></lifecycle>${TRIGGERS}`);

test("a message of a provider that an import brings may be longer", () => {
  assert.deepEqual(toldWith(chat("m".repeat(16_384))), []);
  assert.deepEqual(toldWith(chat("m".repeat(16_385))), [`WOML_PROVIDER_MESSAGE_INVALID ${"m".repeat(16_385)}`]);
  assert.deepEqual(toldWith(chat("{{context.payload}}")), ["WOML_LIFECYCLE_TEMPLATE_INVALID context.payload"]);
});

test("it is lowered with its props, its script and its message", () => {
  const [action] = checkWith(chat("{{lifecycle.failure.code}}!")).definition?.lifecycle?.[0]?.actions ?? [];
  assert.deepEqual(action, {
    kind: "notify",
    notices: [
      {
        provider: "custom",
        script: { source: "return { messageId: '1' };", needs: { payload: false, steps: [] } },
        reusable: { props: [{ name: "room", value: { kind: "literal", text: "a" } }] },
        message: [
          { kind: "reference", path: ["lifecycle", "failure", "code"] },
          { kind: "text", text: "!" },
        ],
      },
    ],
  });
});
