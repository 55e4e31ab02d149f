// Services that the language itself has are called with arguments of their own; what leaves is one input.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, openPlace, PATIENT, type Provider, played } from "./place.ts";

const OPERATIONS = [
  ...["state.delete", "state.get", "state.has", "state.increment", "state.set", "state.setIfAbsent"],
  ...["workflows.call", "workflows.start", "other.set"],
];

test("arguments and options become one input", async (t) => {
  const { door } = await openPlace(t);
  const calls: string[] = [];
  const provider: Provider = ({ operation, name, input }) => {
    calls.push(`${operation} ${name} ${input}`);
    return '{"ok":true,"value":1}';
  };
  const run = async (text: string): Promise<unknown> => {
    const outcome = await played(door, asked(text, { operations: OPERATIONS, limits: PATIENT }), provider);
    return outcome.outcome === "ok" ? JSON.parse(outcome.result ?? "") : outcome.failure?.message;
  };
  const told = [
    ["state.get('k')", 'state.get null {"key":"k"}'],
    ["state.get('k', { version: true })", 'state.get null {"key":"k","version":true}'],
    ["state.has('k')", 'state.has null {"key":"k"}'],
    ["state.set('k', { a: [1] }, { name: 'n', ifVersion: 0 })", 'state.set n {"key":"k","value":{"a":[1]},"ifVersion":0}'],
    ["state.set('k', undefined, { name: 'n' })", 'state.set n {"key":"k"}'],
    ["state.set('k', null, { name: undefined })", 'state.set null {"key":"k","value":null}'],
    ["state.setIfAbsent('k', 1, { name: 'n' })", 'state.setIfAbsent n {"key":"k","value":1}'],
    ["state.increment('k', 2, { name: 'n' })", 'state.increment n {"key":"k","by":2}'],
    ["state.increment('k', undefined, { name: 'n' })", 'state.increment n {"key":"k"}'],
    ["state.delete('k', { name: 'n' })", 'state.delete n {"key":"k"}'],
    ["workflows.call('w', { n: 1 }, { timeout: '1m', name: 'n' })", 'workflows.call n {"id":"w","payload":{"n":1},"timeout":"1m"}'],
    ["workflows.start('w', {})", 'workflows.start null {"id":"w","payload":{}}'],
    ["other.set('k', { name: 'n' })", 'other.set n "k"'],
  ] as const;
  for (const [call, left] of told) {
    assert.equal(await run(`return await services.${call}`), 1, call);
    assert.deepEqual(calls.splice(0), [left]);
  }
  const wrong = [
    ["state.get('k', { nam: 1 })", "services.state.get takes its arguments and then { name, version }."],
    ["state.set('k', 1, 2)", "services.state.set takes its arguments and then { name, ifVersion }."],
    ["state.has('k', {}, {})", "services.state.has takes its arguments and then { name }."],
    ["workflows.start('w', {}, { timeout: 1 })", "services.workflows.start takes its arguments and then { name }."],
  ] as const;
  for (const [call, message] of wrong) assert.equal(await run(`return await services.${call}`), `WOML_CALL_OPTIONS_INVALID: ${message}`);
  assert.equal(await run("return await services.state.set('k', new Date(0), { name: 'n' })"), MISFIT);
  assert.equal(await run("return await services.state.set('k', 1, { get name() { throw new Error('mine'); } })"), "mine");
  assert.deepEqual(calls, []);
  const large = [
    ["state.get(x)", "WOML_STATE_KEY_INVALID"],
    ["state.set('k', x, { name: 'n' })", "WOML_STATE_VALUE_TOO_LARGE"],
    ["state.setIfAbsent('k', { x }, { name: 'n' })", "WOML_STATE_VALUE_TOO_LARGE"],
    ["workflows.call('w', { x }, { name: 'n' })", "WOML_WORKFLOW_PAYLOAD_TOO_LARGE"],
    ["workflows.start('w', { x }, { name: 'n' })", "WOML_WORKFLOW_PAYLOAD_TOO_LARGE"],
    ["other.set(x)", "WOML_CALL_INPUT_TOO_LARGE"],
  ] as const;
  for (const [call, code] of large)
    assert.equal(await run(`const x = 'x'.repeat(2 ** 20); await services.${call}`), `${code}: The input is too large.`, call);
  const most = 2 ** 20 - '{"id":"w","payload":{"x":""}}'.length;
  assert.equal(await run(`return await services.workflows.start('w', { x: 'x'.repeat(${most}) })`), 1);
  assert.equal(calls.splice(0).length, 1, "what is refused here leaves no call");
});
const MISFIT = "WOML_CALL_INPUT_INVALID: The input is not JSON at $.value: a class instance.";
