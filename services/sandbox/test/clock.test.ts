import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, echo, placeForFile, played, STARTED_AT } from "./place.ts";

const place = placeForFile();

const ISO = new Date(STARTED_AT).toISOString();

test("no way to the present leads past the virtual clock", async () => {
  const { door } = place;
  const ways: readonly (readonly [string, unknown])[] = [
    ["Date.now()", STARTED_AT],
    ["new Date().getTime()", STARTED_AT],
    ["new Date().toISOString()", ISO],
    ["Date()", "Fri Jan 02 2026 03:04:05 GMT+0000 (Coordinated Universal Time)"],
    ["Reflect.construct(Date, []).getTime()", STARTED_AT],
    ["new (class extends Date { more() { return this.getTime() + 1 } })().more()", STARTED_AT + 1],
    ["new Date.prototype.constructor().getTime()", STARTED_AT],
    ["new (new Date(0).constructor)().getTime()", STARTED_AT],
    ["new (Object.getPrototypeOf(new Date(0)).constructor)().getTime()", STARTED_AT],
    ["Function('return Date.now()')()", STARTED_AT],
    ["(0, eval)('new Date().getTime()')", STARTED_AT],
    ["new Intl.DateTimeFormat('en', { dateStyle: 'short', timeZone: 'UTC' }).format()", "1/2/26"],
    ["[1].map(new Intl.DateTimeFormat('en', { dateStyle: 'short' }).format, 0)[0]", "1/1/70"],
    ["new Intl.DateTimeFormat('en', { year: 'numeric' }).formatToParts()[0].value", "2026"],
    ["new Date().toLocaleDateString('en')", "1/2/2026"],
    ["Temporal.Now.instant().epochMilliseconds", STARTED_AT],
    ["Temporal.Now.plainDateISO().toString()", "2026-01-02"],
    ["Temporal.Now.plainTimeISO('Asia/Tokyo').toString()", "12:04:05.678"],
    ["Temporal.Now.plainDateTimeISO().toString()", "2026-01-02T03:04:05.678"],
    ["Temporal.Now.zonedDateTimeISO('Europe/Berlin').offset", "+01:00"],
    ["Temporal.Now.timeZoneId()", "UTC"],
    ["Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC"],
    ["new Date(2026, 6, 1).getTimezoneOffset()", 0],
    ["typeof performance", "undefined"],
    ["typeof globalThis['Tem' + 'poral'] + typeof globalThis['Da' + 'te'] + typeof globalThis['In' + 'tl']", "undefinedundefinedundefined"],
  ];
  for (const [text, value] of ways) {
    const { result, failure } = await door.invoke(asked(`return ${text}`, { limits: { ...asked("").limits, wallMs: 10_000 } }));
    assert.deepEqual(JSON.parse(result ?? "null"), value, `${text} ${JSON.stringify(failure)}`);
  }
});

test("everything else of Date is the language's", async () => {
  const { door } = place;
  const text = `const d = new Date(2026, 0, 2, 3); return [
    Date.name, Date.length, d instanceof Date, Object.prototype.toString.call(d), new Date(d).getTime() === d.getTime(),
    Date.UTC(1970, 0, 1), Date.parse('1970-01-01T00:00:01Z'), new Date('1970-01-01').getTime(), Number.isNaN(new Date(NaN).getTime()), typeof Date(0),
    new (class A extends Date { constructor() { super(7); this.own = 1 } })() instanceof Date, JSON.stringify(new Date(0)),
    Object.keys(Date), Object.getOwnPropertyNames(Date).sort(), Date.prototype.constructor === Date]`;
  const { result } = await door.invoke(asked(text));
  const first = ["Date", 7, true, "[object Date]", true, 0, 1_000, 0, true, "string"];
  const names = ["UTC", "length", "name", "now", "parse", "prototype"];
  assert.deepEqual(JSON.parse(result ?? "null"), [...first, true, '"1970-01-01T00:00:00.000Z"', [], names, true]);
});

test("the clock stands within a turn and moves to answers and timers only, never back", async () => {
  const { door } = place;
  const text = `const at = []; const see = () => at.push(Date.now());
    for (let i = 0; i < 1e5; i++); see();
    setTimeout(see, 600); await services.a.echo(1); see();
    await new Promise((resolve) => setTimeout(resolve, 700)); see();
    await new Promise((resolve) => setTimeout(resolve)); see();
    setTimeout(() => {}, -5); await services.a.echo(2); see(); return at`;
  const invocation = asked(text, { operations: ["a.echo"] });
  const { result } = await played(door, invocation, echo);
  const since = JSON.parse(result ?? "").map((at: number) => at - STARTED_AT);
  assert.deepEqual(since, [0, 10, 600, 710, 710, 710]);
});

test("timers are one-shot and in order, take arguments, can be taken back, and end with the script", async () => {
  const { door } = place;
  const run = (text: string) => door.invoke(asked(text, { limits: { ...asked("").limits, wallMs: 15_000 } }));
  const order = await run(`const seen = []; const put = (...given) => seen.push(given);
    setTimeout(put, 30, 'c'); setTimeout(put, 10, 'a', 1); setTimeout(put, 10, 'b'); const gone = setTimeout(put, 1, 'gone'); clearTimeout(gone);
    setTimeout(put, '20', 'text'); clearTimeout(77); clearTimeout(); clearTimeout('x');
    await new Promise((resolve) => setTimeout(resolve, 50)); return [seen, gone]`);
  assert.deepEqual(JSON.parse(order.result ?? ""), [[["a", 1], ["b"], ["text"], ["c"]], 4]);
  const left = await run("setTimeout(() => { for (;;); }, 5); setTimeout(() => {}, 1e9); return 1");
  assert.equal(left.outcome, "ok");
  const next = await run("let n = 0; for (let i = 0; i < 1e5; i++) n += 1; return n");
  assert.deepEqual([next.outcome, next.workerPid], ["ok", left.workerPid]);
  const thrown = await run("setTimeout(() => {\nthrow new RangeError('late') }, 1); await new Promise(() => {})");
  assert.deepEqual([thrown.failure?.name, thrown.failure?.stack], ["RangeError", "RangeError: late\n    at a.woml:11:7"]);
  const burns = await run("setTimeout(() => { for (;;); }, 1); await new Promise(() => {})");
  assert.equal(burns.outcome, "cpu_exceeded");
  const many = await run("try { for (let i = 1; ; i++) setTimeout(() => {}, 1) } catch (e) { return [e.name, e.code] }");
  assert.deepEqual(JSON.parse(many.result ?? ""), ["RangeError", "WOML_TIMER_LIMIT"]);
  for (const wrong of ["setTimeout('1', 1)", "setTimeout()", "setTimeout(() => {}, Symbol())"])
    assert.equal((await run(`${wrong}; return 1`)).failure?.name, "TypeError", wrong);
});
