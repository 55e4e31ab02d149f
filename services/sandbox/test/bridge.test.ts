import assert from "node:assert/strict";
import { test } from "node:test";
import type { Listener } from "../door.ts";
import { asked, openPlace } from "./place.ts";

test("the call bridge: texts out, envelopes in, refusals as errors of the script's own realm", async (t) => {
  const { door } = await openPlace(t);
  const calls: string[] = [];
  const listener: Listener = {
    call: async (operation, input) => {
      calls.push(`${operation} ${input}`);
      if (operation === "never") return new Promise(() => undefined);
      if (operation === "broken") throw new Error("/secret/path");
      return operation === "fail" ? '{"ok":false,"code":"NO","message":"refused"}' : `{"ok":true,"value":${input}}`;
    },
  };
  const operations = ["echo", "fail", "never", "broken"];
  const run = async (text: string, given: Listener = listener) => {
    const outcome = await door.invoke(asked(text, { operations }), given);
    return outcome.outcome === "ok" ? JSON.parse(outcome.result ?? "") : outcome.outcome;
  };
  const caught = (call: string) =>
    `try { await ${call}; return 'none' } catch (e) { return [e.name, e.code, e.message, e instanceof Error, e.operation] }`;

  assert.deepEqual(await run("return [await host('echo', { a: [1] }), await host('echo')]"), [{ a: [1] }, null]);
  assert.deepEqual(calls.splice(0), ['echo {"a":[1]}', "echo null"]);
  assert.deepEqual(await run(caught("host('fail', 1)")), ["WomlServiceError", "NO", "refused", true, "fail"]);
  assert.deepEqual(await run(caught("host('broken', 1)")), [
    "WomlServiceError",
    "WOML_CALL_FAILED",
    "The operation failed.",
    true,
    "broken",
  ]);
  assert.deepEqual(await run(caught("host('echo', 1)"), {}), [
    "WomlServiceError",
    "WOML_CALL_FAILED",
    "The operation failed.",
    true,
    "echo",
  ]);
  assert.equal((await run(caught("host('other', 1)")))[1], "WOML_CALL_UNKNOWN");
  assert.equal((await run(caught("host('echo', { at: new Date(0) })")))[1], "WOML_CALL_INPUT_INVALID");
  assert.equal((await run(caught("host('echo', 'x'.repeat(2 ** 21))")))[1], "WOML_CALL_INPUT_TOO_LARGE");
  assert.equal((await run(caught("host('echo', '€'.repeat(2 ** 19))")))[1], "WOML_CALL_INPUT_TOO_LARGE");
  const flood =
    "const all = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => host('echo', n))); return all.filter((one) => one.status === 'rejected').length";
  assert.equal(await run(flood), 8);
  const long = "let n = 0; try { for (;;) { await host('echo', n); n++; } } catch (e) { return [n, e.code] }";
  assert.deepEqual(await run(long), [1_000, "WOML_CALL_LIMIT"]);
  assert.equal(await run("await host('never', 1)"), "wall_exceeded");
});

test("an answer that comes after the end reaches nobody, and a rejection in a later turn fails the step", async (t) => {
  const { door } = await openPlace(t);
  const gates: (() => void)[] = [];
  const call = async (): Promise<string> => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return '{"ok":true,"value":1}';
  };
  const late = await door.invoke(
    asked("host('echo', 1).then(() => { console.log('late'); for (;;); }); return 1", { operations: ["echo"] }),
    {
      call,
      line: () => assert.fail("a line of an ended invocation"),
    },
  );
  assert.equal(late.outcome, "ok");
  for (const open of gates.splice(0)) open();
  const next = await door.invoke(asked("let n = 0; for (let i = 0; i < 1e4; i++) n += i; return n"));
  assert.deepEqual([next.outcome, next.workerPid], ["ok", late.workerPid]);
  const now = { call: async () => '{"ok":true,"value":1}' };
  const text =
    "host('echo', 1).then(() => { Promise.reject(new Error('later')); }); await host('echo', 2); await host('echo', 3); return 1";
  const failed = await door.invoke(asked(text, { operations: ["echo"] }), now);
  assert.deepEqual([failed.outcome, failed.failure?.message], ["script_threw", "later"]);
});

test("one turn that fails while another burns is waited for, and never blamed on the next script", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1 });
  const text =
    "host('echo', 1).then(() => { Promise.reject(new Error('first')); }); host('echo', 2).then(() => { for (;;); }); await host('echo', 3)";
  const all = Promise.withResolvers<void>();
  const together = async (_: string, input: string): Promise<string> => {
    if (input === "3") all.resolve();
    await all.promise;
    return '{"ok":true,"value":1}';
  };
  const burning = door.invoke(asked(text, { operations: ["echo"] }), { call: together });
  const next = door.invoke(asked("return 1"));
  assert.equal((await burning).outcome, "cpu_exceeded");
  assert.equal((await next).outcome, "ok");
  const waits = asked("host('echo', 1).then(() => { Promise.reject(new Error('detached')); }); await new Promise(() => {})", {
    operations: ["echo"],
  });
  const failed = await door.invoke(waits, { call: async () => '{"ok":true,"value":1}' });
  assert.deepEqual([failed.outcome, failed.failure?.message], ["script_threw", "detached"]);
  assert.ok(failed.ms < 1_000);
});
