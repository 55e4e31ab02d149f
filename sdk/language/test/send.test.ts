// What is written out of calls of workflows and of messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, step, workflow } from "./sources.ts";

const script = (body: string): string => workflow(step("a", body));

const TELEGRAM = "services.telegram.send";
const DISCORD = "services.discord.send";
const WHATSAPP = "services.whatsapp.send";
const ID = "123456789012345678";
const telegram = (more: string, options = ""): string =>
  `return ${TELEGRAM}({ botToken: secrets.T, conversationId: "-100", ${more} }${options && `, ${options}`});`;
const discord = (more: string, options = ""): string =>
  `return ${DISCORD}({ botToken: secrets.T, conversationId: "${ID}", ${more} }${options && `, ${options}`});`;
const whatsapp = (template: string, options = ""): string =>
  `return ${WHATSAPP}({ accessToken: secrets.T, phoneNumberId: "123456", conversationId: "15551234567", template: ${template} }${options && `, ${options}`});`;
const call = (args: string): string => `return services.workflows.call(${args});`;
const start = (args: string): string => `return services.workflows.start(${args});`;

for (const body of [
  telegram("text: 'x'"),
  telegram("text, replyToMessageId: `12`"),
  telegram("'text': `a \u0024{context.payload.x}`", "{ name: 'a.b-c_1' }"),
  telegram("text: context.payload.text, replyToMessageId: undefined", "{ name: context.payload.name }"),
  telegram("text: 'x'", "{}"),
  telegram(`text: "${"x".repeat(4_096)}"`),
  discord(`text: "${"x".repeat(2_000)}", replyToMessageId: "${ID}"`, "{ name: 'receipt' }"),
  whatsapp("{ name: 'order_update', language: 'en_US', parameters: [context.payload.a, 'b', ...more] }"),
  whatsapp("{ name: context.payload.name, language: 'en', parameters: [] }", "{ name: 'receipt' }"),
  call("'order-router', {}"),
  call("`order-router`, { a: 1 }, { name: 'one', timeout: '24h' }"),
  call("context.payload.id, context.payload, { timeout: 86400000 }"),
  call("'a', make(), { timeout: context.payload.t, name: `n\u0024{1}` }"),
  call("'a', {}, { 'timeout': '1d' }"),
  call("'a', {}, {}"),
  start("'a', { ...context.payload }, { name: 'one' }"),
]) {
  test(`taken: ${body.slice(0, 120)}`, () => assert.deepEqual(codes(script(body)), []));
}

for (const [body, code, mark] of [
  [`${TELEGRAM}()`, "WOML_TELEGRAM_SEND_ARGUMENTS_INVALID", `${TELEGRAM}()`],
  [`${TELEGRAM}({}, {}, 1)`, "WOML_TELEGRAM_SEND_ARGUMENTS_INVALID", `${TELEGRAM}({}, {}, 1)`],
  [`${TELEGRAM}(message)`, "WOML_TELEGRAM_SEND_INPUT_INVALID", "message"],
  [`${TELEGRAM}(...list)`, "WOML_TELEGRAM_SEND_INPUT_INVALID", "...list"],
  [telegram("...more"), "WOML_TELEGRAM_SEND_INPUT_INVALID", "...more"],
  [telegram("['text']: 'x'"), "WOML_TELEGRAM_SEND_INPUT_INVALID", "['text']: 'x'"],
  [telegram("get text() { return 'x' }"), "WOML_TELEGRAM_SEND_INPUT_INVALID", "get text() { return 'x' }"],
  [telegram("text: 'x', chat: 1"), "WOML_TELEGRAM_SEND_PROPERTY_UNKNOWN", "chat: 1"],
  [telegram("txt: 'x'"), "WOML_TELEGRAM_SEND_PROPERTY_UNKNOWN", "txt: 'x'"],
  [telegram("constructor: 'x', text: 'x'"), "WOML_TELEGRAM_SEND_PROPERTY_UNKNOWN", "constructor: 'x'"],
  [telegram("text: 'x', text: 'y'"), "WOML_TELEGRAM_SEND_PROPERTY_DUPLICATE", "text: 'y'"],
  [`${TELEGRAM}({ botToken: secrets.T, text: "x" })`, "WOML_TELEGRAM_SEND_PROPERTY_REQUIRED", '{ botToken: secrets.T, text: "x" }'],
  [telegram("text: ''"), "WOML_TELEGRAM_SEND_VALUE_INVALID", "''"],
  [telegram("text: ``"), "WOML_TELEGRAM_SEND_VALUE_INVALID", "``"],
  [telegram("text: 5"), "WOML_TELEGRAM_SEND_VALUE_INVALID", "5"],
  [telegram("text: 'x', replyToMessageId: '0'"), "WOML_TELEGRAM_SEND_VALUE_INVALID", "'0'"],
  [telegram("text: 'x'", "options"), "WOML_TELEGRAM_SEND_OPTIONS_INVALID", "options"],
  [telegram("text: 'x'", "{ ...o }"), "WOML_TELEGRAM_SEND_OPTIONS_INVALID", "...o"],
  [telegram("text: 'x'", "{ name: 'Bad Name' }"), "WOML_TELEGRAM_SEND_OPTIONS_INVALID", "'Bad Name'"],
  [telegram("text: 'x'", "{ timeout: '1s' }"), "WOML_TELEGRAM_SEND_OPTION_UNKNOWN", "timeout: '1s'"],
  [`${TELEGRAM}({ botToken: "t", conversationId: "1", text: "x" })`, "WOML_TELEGRAM_CREDENTIAL_INVALID", '"t"'],
  [`${TELEGRAM}({ botToken, conversationId: "1", text: "x" })`, "WOML_TELEGRAM_CREDENTIAL_INVALID", "botToken"],
  [`${TELEGRAM}({ botToken: props.t, conversationId: "1", text: "x" })`, "WOML_TELEGRAM_CREDENTIAL_INVALID", "props.t"],
  [`${TELEGRAM}({ botToken: secrets['T'], conversationId: "1", text: "x" })`, "WOML_SCRIPT_SECRET_ACCESS_DYNAMIC", "secrets['T']"],
  [`${DISCORD}()`, "WOML_DISCORD_SEND_ARGUMENTS_INVALID", `${DISCORD}()`],
  [`${DISCORD}([])`, "WOML_DISCORD_SEND_INPUT_INVALID", "[]"],
  [discord("text: 'x', tts: true"), "WOML_DISCORD_SEND_PROPERTY_UNKNOWN", "tts: true"],
  [discord("text: 'x', text: 'x'"), "WOML_DISCORD_SEND_PROPERTY_DUPLICATE", "text: 'x'"],
  [discord(`text: '${"x".repeat(2_001)}'`), "WOML_DISCORD_SEND_VALUE_INVALID", `'${"x".repeat(2_001)}'`],
  [discord("text: 'x', replyToMessageId: '1'"), "WOML_DISCORD_SEND_VALUE_INVALID", "'1'"],
  [discord("text: 'x'", "null"), "WOML_DISCORD_SEND_OPTIONS_INVALID", "null"],
  [discord("text: 'x'", "{ nam: 'a' }"), "WOML_DISCORD_SEND_OPTION_UNKNOWN", "nam: 'a'"],
  [discord("text: 'x'", "{ name: 'a', name: 'b' }"), "WOML_DISCORD_SEND_OPTION_DUPLICATE", "name: 'b'"],
  [discord("text: 'x'", "{ name: 'a..b' }"), "WOML_DISCORD_SEND_NAME_INVALID", "'a..b'"],
  [`${DISCORD}({ botToken: secrets.T.x, conversationId: "${ID}", text: "x" })`, "WOML_DISCORD_CREDENTIAL_INVALID", "secrets.T.x"],
  [`${DISCORD}({ conversationId: "${ID}", text: "x" })`, "WOML_DISCORD_SEND_PROPERTY_REQUIRED", `{ conversationId: "${ID}", text: "x" }`],
  ["services.discord.edit({})", "WOML_DISCORD_OPERATION_UNSUPPORTED", "services.discord.edit"],
  [whatsapp("{ name: 'a', language: 'en' }"), "WOML_WHATSAPP_TEMPLATE_PROPERTY_REQUIRED", "{ name: 'a', language: 'en' }"],
  [whatsapp("{ name: 'a', language: 'en', parameters: [], b: 1 }"), "WOML_WHATSAPP_TEMPLATE_PROPERTY_UNKNOWN", "b: 1"],
  [whatsapp("{ name: 'a', name: 'b', language: 'en', parameters: [] }"), "WOML_WHATSAPP_TEMPLATE_PROPERTY_DUPLICATE", "name: 'b'"],
  [whatsapp("{ name: 'a', language: 'en', parameters: list }"), "WOML_WHATSAPP_TEMPLATE_PARAMETERS_INVALID", "list"],
  [whatsapp("{ name: 'A b', language: 'en', parameters: [] }"), "WOML_WHATSAPP_SEND_VALUE_INVALID", "'A b'"],
  [whatsapp("template"), "WOML_WHATSAPP_SEND_VALUE_INVALID", "template"],
  [whatsapp("{ name: 'a', language: 'en', parameters: [] }", "{ name: 1 }"), "WOML_WHATSAPP_SEND_NAME_INVALID", "1"],
  [whatsapp("{ name: 'a', language: 'en', parameters: [] }", "{ a: 1 }"), "WOML_WHATSAPP_SEND_OPTION_UNKNOWN", "a: 1"],
  [whatsapp("{ name: 'a', language: 'en', parameters: [] }, text: 'x'"), "WOML_WHATSAPP_SEND_PROPERTY_UNKNOWN", "text: 'x'"],
  ["services.whatsapp.read({})", "WOML_WHATSAPP_OPERATION_UNSUPPORTED", "services.whatsapp.read"],
  [call("'a'"), "WOML_WORKFLOW_CALL_ARGUMENTS_INVALID", "services.workflows.call('a')"],
  [call("'a', {}, {}, 1"), "WOML_WORKFLOW_CALL_ARGUMENTS_INVALID", "services.workflows.call('a', {}, {}, 1)"],
  [call("...list"), "WOML_WORKFLOW_CALL_ARGUMENTS_INVALID", "services.workflows.call(...list)"],
  [call("'childFlow', {}"), "WOML_WORKFLOW_TARGET_INVALID", "'childFlow'"],
  [call("`a-`, {}"), "WOML_WORKFLOW_TARGET_INVALID", "`a-`"],
  [call(`'${"a".repeat(257)}', {}`), "WOML_WORKFLOW_TARGET_INVALID", `'${"a".repeat(257)}'`],
  [start("7, {}"), "WOML_WORKFLOW_TARGET_INVALID", "7"],
  [start("'a', []"), "WOML_WORKFLOW_PAYLOAD_INVALID", "[]"],
  [start("'a', null"), "WOML_WORKFLOW_PAYLOAD_INVALID", "null"],
  [start("'a', 'text'"), "WOML_WORKFLOW_PAYLOAD_INVALID", "'text'"],
  [start("'a', -1"), "WOML_WORKFLOW_PAYLOAD_INVALID", "-1"],
  [call("'a', {}, options"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "options"],
  [call("'a', {}, { ...o }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "...o"],
  [call("'a', {}, { ['name']: 'b' }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "['name']: 'b'"],
  [call("'a', {}, { timeout: '25h' }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "'25h'"],
  [call("'a', {}, { timeout: '1.5h' }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "'1.5h'"],
  [call("'a', {}, { timeout: 0 }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "0"],
  [call("'a', {}, { timeout: -5 }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "-5"],
  [call("'a', {}, { timeout: 1.5 }"), "WOML_WORKFLOW_CALL_OPTIONS_INVALID", "1.5"],
  [call("'a', {}, { retry: 1 }"), "WOML_WORKFLOW_CALL_OPTION_UNKNOWN", "retry: 1"],
  [start("'a', {}, { timeout: '1s' }"), "WOML_WORKFLOW_CALL_OPTION_UNKNOWN", "timeout: '1s'"],
  [call("'a', {}, { name: 'Bad Name' }"), "WOML_WORKFLOW_CALL_NAME_INVALID", "'Bad Name'"],
  [call(`'a', {}, { name: '${"a".repeat(129)}' }`), "WOML_WORKFLOW_CALL_NAME_INVALID", `'${"a".repeat(129)}'`],
  ["services.workflows.stop('a', {})", "WOML_WORKFLOW_OPERATION_UNSUPPORTED", "services.workflows.stop"],
] as const) {
  test(`${code}: ${body.slice(0, 120)}`, () => {
    const text = script(body);
    assert.deepEqual(codes(text), [code]);
    assert.deepEqual(marked(text), [mark]);
  });
}

test("a property that is written wrong is not missed too; the hint says which it may be", () => {
  const [{ hint } = {}] = check(script(telegram("texx: 'x'"))).diagnostics;
  assert.equal(hint, "Did you mean text?");
});

test("two properties of one message that are wrong are two diagnostics", () => {
  assert.deepEqual(marked(script(discord("text: '', replyToMessageId: '1'"))), ["''", "'1'"]);
});

test("what has the name of a provider and is none of its is not looked into", () => {
  const imports = '<imports><uses capability="acme.chat" version="^1" as="telegram"/></imports>';
  const body = "return services.telegram.send(context.payload) + services.telegram.edit();";
  assert.deepEqual(codes(script(body).replace("<woml>", `<woml>${imports}`)), []);
});
