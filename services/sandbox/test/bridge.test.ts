import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, echo, openPlace, type Provider, placeForFile, played, STARTED_AT } from "./place.ts";

const place = placeForFile();

const OPERATIONS = ["echo", "fail", "never", "a.echo", "a.fail", "a.never"];
const provider: Provider = ({ operation, input }) => {
  if (operation.endsWith("never")) return undefined;
  const refused = '{"ok":false,"code":"NO","message":"refused","retryable":true,"ambiguous":true}';
  return operation.endsWith("fail") ? refused : `{"ok":true,"value":${input}}`;
};
const caught = (call: string) =>
  `try { await ${call}; return 'none' } catch (e) { return [e.name, e.code, e.message, e instanceof Error, e.service, e.operation, e.callId, e.retryable, e.ambiguous] }`;

test("the call bridge: texts out, envelopes in, refusals as errors of the script's own realm", async () => {
  const { door } = place;
  const calls: string[] = [];
  const run = async (text: string) => {
    const outcome = await played(door, asked(text, { operations: OPERATIONS }), (call) => {
      calls.push(`${call.call} ${call.operation} ${call.name} ${call.input}`);
      return provider(call);
    });
    return outcome.outcome === "ok" ? JSON.parse(outcome.result ?? "") : outcome.outcome;
  };
  assert.deepEqual(await run("return [await services.a.echo({ a: [1] }, { name: 'n €' }), await host('echo')]"), [{ a: [1] }, null]);
  assert.deepEqual(calls.splice(0), ['1 a.echo n € {"a":[1]}', "2 echo null null"]);
  assert.deepEqual(await run(caught("services.a.fail(1)")), ["WomlServiceError", "NO", "refused", true, "a", "fail", 1, true, true]);
  const refused = (code: string) => ["WomlServiceError", code, true, "a", "echo", null, false, false];
  const here = async (call: string) => (await run(caught(call))).filter((_: unknown, index: number) => index !== 2);
  assert.deepEqual(await here("services.a.echo({ at: new Date(0) })"), refused("WOML_CALL_INPUT_INVALID"));
  assert.deepEqual(await here("services.a.echo('x'.repeat(2 ** 21))"), refused("WOML_CALL_INPUT_TOO_LARGE"));
  assert.deepEqual(await here("services.a.echo('€'.repeat(2 ** 19))"), refused("WOML_CALL_INPUT_TOO_LARGE"));
  for (const options of ["1", "null", "{ nam: 1 }", "{ name: '' }", "{ name: 'x'.repeat(129) }", "{ name: 'a\\n' }", "{ name: 1 }", "[1]"])
    assert.deepEqual(await here(`services.a.echo(1, ${options})`), refused("WOML_CALL_OPTIONS_INVALID"), options);
  assert.equal((await run(caught("host('other', 1)")))[1], "WOML_CALL_UNKNOWN");
  assert.equal(calls.splice(0).length, 1, "what is refused here leaves no call");
  assert.equal(await run("return await services.a.echo(1, { name: undefined }) + await services.a.echo(1, {})"), 2);
  assert.equal((await run("return (await services.a.echo('x'.repeat(2 ** 20 - 2))).length")) + 2, 2 ** 20);
  assert.equal((await run("return (await services.a.echo('\\u00e9'.repeat(2 ** 19 - 1))).length")) + 1, 2 ** 19);
});

test("what a script may call is frozen, and all there is", async () => {
  const { door } = place;
  const text = `const frozen = [services, services.a, services.a.echo, secrets].every((one) => Object.isFrozen(one));
    const absent = [services.b, services.toString, services.a.constructor, globalThis.fetch, globalThis.host].every((one) => one === undefined);
    return [frozen, absent, Object.keys(services), Object.keys(services.a), arguments.length]`;
  const { result } = await door.invoke(asked(text, { operations: ["a.echo", "a.fail"] }));
  assert.deepEqual(JSON.parse(result ?? "null"), [true, true, ["a"], ["echo", "fail"], 4]);
});

test("32 calls at once and 1,000 in an attempt", async () => {
  const { door } = place;
  const run = async (text: string) =>
    JSON.parse(
      (await played(door, asked(text, { operations: OPERATIONS, limits: { ...asked("").limits, wallMs: 20_000 } }), echo)).result ?? "",
    );
  const flood =
    "const all = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => services.a.echo(n))); return all.filter((one) => one.status === 'rejected').map((one) => one.reason.code)";
  assert.deepEqual(await run(flood), Array(8).fill("WOML_CALL_LIMIT"));
  const long = "let n = 0; try { for (;;) { await services.a.echo(n); n++; } } catch (e) { return [n, e.code] }";
  assert.deepEqual(await run(long), [1_000, "WOML_CALL_LIMIT"]);
});

test("a failure that is thrown on as it was given names its call, a wrapped one does not; the stack is where the call was made", async () => {
  const { door } = place;
  const run = (text: string) => played(door, asked(text, { operations: OPERATIONS }), provider);
  const given = await run("await services.a.echo(1);\nawait services.a.fail(2)");
  assert.equal(given.outcome, "script_threw");
  assert.deepEqual(given.failure, {
    ...{ name: "WomlServiceError", message: "refused", call: 2 },
    stack: "WomlServiceError: refused\n    at a.woml:11:18",
  });
  const late = await run("const p = services.a.fail(1).catch((e) => e); throw await p");
  assert.equal(late.failure?.call, 1);
  for (const wrapped of [
    "try { await services.a.fail(1) } catch (e) { throw new Error('w', { cause: e }) }",
    "try { await services.a.fail(1) } catch (e) { throw { ...e, message: e.message } }",
    "try { await services.a.fail(1) } catch (e) { throw Object.create(e) }",
    "await services.a.echo(1, 7)",
  ])
    assert.equal((await run(wrapped)).failure?.call, undefined, wrapped);
});

test("an answer that comes after the end reaches nobody, a call after the end is refused, a rejection in a later turn fails the step", async () => {
  const { door } = place;
  const gate = Promise.withResolvers<void>();
  const held: Provider = async () => {
    await gate.promise;
    return '{"ok":true,"value":1}';
  };
  const listener = { line: () => assert.fail("a line of an ended invocation") };
  const late = await played(
    door,
    asked("host('echo', 1).then(() => { console.log('late'); for (;;); }); return 1", { operations: OPERATIONS }),
    held,
    listener,
  );
  assert.equal(late.outcome, "ok");
  gate.resolve();
  const next = await door.invoke(asked("let n = 0; for (let i = 0; i < 1e4; i++) n += i; return n"));
  assert.deepEqual([next.outcome, next.workerPid], ["ok", late.workerPid]);
  const calls: number[] = [];
  const after = "let p = Promise.resolve(); for (let i = 0; i < 9; i++) p = p.then(() => 0); p.then(() => services.a.echo(1)); return 1";
  const refused = await played(door, asked(after, { operations: OPERATIONS }), ({ call }) => void calls.push(call));
  assert.deepEqual([refused.outcome, refused.failure?.message, calls], ["script_threw", "WOML_CALL_LATE: The script has ended.", []]);
  const text =
    "host('echo', 1).then(() => { Promise.reject(new Error('later')); }); await host('echo', 2); await host('echo', 3); return 1";
  const failed = await played(door, asked(text, { operations: OPERATIONS }), echo);
  assert.deepEqual([failed.outcome, failed.failure?.message], ["script_threw", "later"]);
});

test("answers are told one at a time: a turn that burns is blamed, and never on the next script", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1 });
  const text = "host('echo', 1).then(() => { for (;;); }); host('echo', 2); await host('echo', 3)";
  const burning = played(door, asked(text, { operations: OPERATIONS }), echo);
  const next = door.invoke(asked("return 1"));
  assert.equal((await burning).outcome, "cpu_exceeded");
  assert.equal((await next).outcome, "ok");
  const waits = asked("host('echo', 1).then(() => { Promise.reject(new Error('detached')); }); await new Promise(() => {})", {
    operations: OPERATIONS,
  });
  const failed = await played(door, waits, echo);
  assert.deepEqual([failed.outcome, failed.failure?.message], ["script_threw", "detached"]);
  assert.ok(failed.ms < 1_000);
});

test("when the wall time ends the open calls are named; a script that only waits for answers is given up before", async () => {
  const { door } = place;
  const text = "services.a.never(1); await services.a.echo(2); await services.a.never(3)";
  const late = await played(door, asked(text, { operations: OPERATIONS }), provider);
  assert.deepEqual([late.outcome, late.open], ["wall_exceeded", [1, 3]]);
  const waits = await played(door, asked(text, { operations: OPERATIONS, parkAfterMs: 100 }), provider);
  assert.deepEqual([waits.outcome, waits.open], ["waiting", [1, 3]]);
  assert.ok(waits.ms >= 100 && waits.ms < 1_000, String(waits.ms));
  const after = await door.invoke(asked("return 1"));
  assert.deepEqual([after.outcome, after.workerPid], ["ok", waits.workerPid], "nothing of it can run on");
  for (const busy of ["setTimeout(() => {}, 5000); await services.a.never(1)", "await new Promise(() => {})"])
    assert.equal((await played(door, asked(busy, { operations: OPERATIONS, parkAfterMs: 100 }), provider)).outcome, "wall_exceeded");
});

test("results of an attempt beyond 16 MiB are told as failures, alike in every replay; an answer too large ends its invocation", async () => {
  const { door } = place;
  const text = `const codes = []; for (let i = 0; i < 18; i++) try { await services.a.echo(i); codes.push(0) } catch (e) { codes.push(e.code) } return codes`;
  const limits = { ...asked("").limits, cpuMs: 20_000, wallMs: 20_000, heapMb: 256 };
  const large = JSON.stringify("x".repeat(2 ** 20 - 50));
  const run = () => played(door, asked(text, { operations: OPERATIONS, limits }), () => `{"ok":true,"value":${large}}`);
  const { result } = await run();
  assert.deepEqual(JSON.parse(result ?? ""), [...Array(16).fill(0), ...Array(2).fill("WOML_CALL_RESULTS_TOO_LARGE")]);
  const far = await played(door, asked("await host('echo')", { operations: OPERATIONS }), () => `"${"x".repeat(2 ** 21)}"`);
  assert.deepEqual([far.outcome, far.detail?.slice(0, 50)], ["protocol_violation", "the answer to call 1: text is not a text of at mos"]);
});

test("fetch is http.request: any status, a text, a time that the answer has", async () => {
  const { door } = place;
  const inputs: unknown[] = [];
  const answer = { status: 404, ok: false, headers: { "x-a": "1" }, data: '{"a":1}', url: "https://x.test/", redirected: false };
  const text = `const r = await fetch('https://x.test/', { method: 'post', headers: { 'X-B': '2' }, body: 'q' });
    return [r.ok, r.status, r.headers.get('X-A'), r.headers.has('b'), await r.json(), await r.text(), Date.now()]`;
  const { result } = await played(door, asked(text, { operations: ["http.request"] }), ({ input }) => {
    inputs.push(JSON.parse(input));
    return JSON.stringify({ ok: true, value: answer });
  });
  assert.deepEqual(JSON.parse(result ?? ""), [false, 404, "1", false, { a: 1 }, '{"a":1}', STARTED_AT + 10]);
  const request = { url: "https://x.test/", method: "POST", headers: { "X-B": "2" }, text: "q" };
  assert.deepEqual(inputs, [{ ...request, responseType: "text", acceptedStatus: { minimum: 100, maximum: 599 } }]);
});
