// Random small programs, run once and then again with their journal cut at every prefix: the same calls, or a stop; never one call more.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import type { Sandbox, ScriptCall } from "../door.ts";
import type { JournalEntry, Outcome } from "../frames.ts";
import { asked, openPlace, STARTED_AT } from "./place.ts";

interface Recorded {
  readonly outcome: Outcome;
  readonly calls: readonly ScriptCall[];
  /** Answers in the order they were given to the sandbox. */
  readonly answers: readonly Answered[];
}
interface Answered {
  readonly call: number;
  readonly text: string;
  readonly at: number;
}
const limits = { ...asked("").limits, cpuMs: 5_000, wallMs: 10_000 };
const journalOf = (calls: readonly ScriptCall[]): readonly JournalEntry[] => calls.flatMap(({ call, seen }) => [...seen, { call }]);

/** How the provider behaves: for the n-th call, whether it fails and after how many others it is answered. */
type World = readonly { readonly fails: boolean; readonly lag: number }[];
const worldOf = (world: World, call: number) => world[call % world.length] ?? { fails: false, lag: 0 };
const textOf = (world: World, { call, input }: ScriptCall): string =>
  worldOf(world, call).fails
    ? `{"ok":false,"code":"NO","message":"call ${call}","retryable":false,"ambiguous":false}`
    : `{"ok":true,"value":{"call":${call},"input":${input}}}`;

/** Runs a program: with what an earlier run recorded the answers go ahead, and only calls beyond them are answered anew. */
async function run(
  door: Sandbox,
  text: string,
  world: World,
  before?: { readonly calls: readonly ScriptCall[]; readonly answers: readonly Answered[] },
): Promise<Recorded> {
  const calls: ScriptCall[] = [];
  const answers: Answered[] = [...(before?.answers ?? [])];
  let at = Math.max(STARTED_AT, ...answers.map((one) => one.at));
  const held: ScriptCall[] = [];
  const journal = before === undefined ? {} : { journal: journalOf(before.calls) };
  const invocation = asked(text, { operations: ["w.op"], limits, ...journal });
  const answer = (call: ScriptCall): void => {
    at += 1 + (call.call % 3) * 7;
    const told = { call: call.call, text: textOf(world, call), at };
    answers.push(told);
    door.answer(invocation.invocation, told);
  };
  const called = (call: ScriptCall): void => {
    calls.push(call);
    if (!answers.some((one) => one.call === call.call)) held.push(call);
    const ready = held.findIndex(({ call: n }) => worldOf(world, n).lag <= calls.length - n);
    const [next] = ready < 0 ? [] : held.splice(ready, 1);
    if (next !== undefined) answer(next);
    // Whoever waits for others that never come is answered a little later.
    setTimeout(() => held.splice(0).forEach(answer), 4);
  };
  const outcome = door.invoke(invocation, { call: called });
  for (const told of before?.answers ?? []) door.answer(invocation.invocation, told);
  return { outcome: await outcome, calls, answers };
}

/** One statement of a program; `n` makes inputs differ. */
const statement: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 9 })
  .chain((n) =>
    fc.constantFrom(
      `out.push(await services.w.op(${n}));`,
      `out.push(await services.w.op([${n}, Date.now()], { name: 'n' + out.length }));`,
      `out.push(await services.w.op(Math.random()));`,
      `out.push(await services.w.op(crypto.randomUUID()));`,
      `out.push(await Promise.all([services.w.op(${n}), services.w.op('b'), sleep(${n})]));`,
      `out.push(await Promise.race([services.w.op(${n}).then(() => 'call'), sleep(${n * 2}).then(() => 'timer')]));`,
      `out.push(await Promise.any([services.w.op('x'), services.w.op('y')]).then((one) => services.w.op(one)));`,
      `try { await services.w.op(${n}) } catch (e) { out.push([e.callId, e.code, await services.w.op(e.message)]); }`,
      `await sleep(${n}); out.push(Date.now());`,
      `later.push(services.w.op('detached ${n}'));`,
      `{ const t = setTimeout(() => later.push(services.w.op('timed')), ${n}); if (out.length % 2) clearTimeout(t); }`,
      `out.push(await Promise.all([1, 2, 3].map(async (i) => services.w.op([i, await services.w.op(i)]))));`,
      `{ const end = Date.now() + 20; let n = 0; while (Date.now() < end && n < 5) { n++; await sleep(6); } out.push(await services.w.op(n)); }`,
    ),
  );
const program: fc.Arbitrary<string> = fc.array(statement, { minLength: 1, maxLength: 5 }).map((lines) => {
  const head = "const out = [], later = []; const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));";
  return `${head}\n${lines.join("\n")}\nawait Promise.allSettled(later); return out;`;
});
const world: fc.Arbitrary<World> = fc.array(fc.record({ fails: fc.boolean(), lag: fc.integer({ min: 0, max: 3 }) }), {
  ...{ minLength: 1, maxLength: 4 },
});

describe("replay", () => {
  let door: Sandbox;
  let end: () => Promise<void> = async () => undefined;
  before(async () => {
    const ends: (() => Promise<void>)[] = [];
    ({ door } = await openPlace({ after: (fn: () => Promise<void>) => void ends.push(fn) }));
    end = async () => {
      for (const one of ends) await one();
    };
  });
  after(() => end());

  const same = (again: readonly ScriptCall[], calls: readonly ScriptCall[], cut: number, where: string): void => {
    assert.deepEqual(again.slice(0, cut), calls.slice(0, cut), where);
    assert.deepEqual(
      again.map(({ call }) => call),
      again.map((_, index) => index + 1),
      where,
    );
  };

  test("cut at every prefix, whatever of the answers had come: the same calls in the same order with the same in between", async () => {
    const property = async (text: string, how: World): Promise<void> => {
      const first = await run(door, text, how);
      tally.programs += 1;
      tally.timers += first.calls.filter(({ seen }) => seen.some((one) => "timer" in one)).length;
      for (let cut = 0; cut <= first.calls.length; cut++) {
        const calls = first.calls.slice(0, cut);
        const needed = calls.flatMap(({ seen }) => seen).flatMap((one) => ("answer" in one ? [one.answer] : []));
        // What was told is on record; of the rest any prefix may be.
        const known = first.answers.filter(({ call }) => call <= cut);
        const last = known.findLastIndex(({ call }) => needed.includes(call)) + 1;
        for (const count of new Set([last, Math.ceil((last + known.length) / 2), known.length])) {
          const again = await run(door, text, how, { calls, answers: known.slice(0, count) });
          const where = `${text}\ncut ${cut}, ${count} answers: ${JSON.stringify(again.outcome)}`;
          tally.replays += 1;
          assert.notEqual(again.outcome.outcome, "diverged", where);
          same(again.calls, first.calls, cut, where);
        }
      }
      const all = await run(door, text, how, first);
      const body = text.split("\n").slice(1).join("\n");
      if (/sleep|setTimeout/.test(body)) return;
      tally.whole += 1;
      const end = ({ outcome: { outcome, result, failure } }: Recorded): unknown => [outcome, result, failure];
      assert.deepEqual(end(all), end(first), text);
    };
    const tally = { programs: 0, replays: 0, timers: 0, whole: 0 };
    await fc.assert(fc.asyncProperty(program, world, property), { numRuns: 50, endOnFailure: true });
    assert.ok(tally.replays > 200 && tally.timers > 3 && tally.whole > 1, JSON.stringify(tally));
  });

  test("a script that is not the one recorded stops before it makes a call that the journal has no place for", async () => {
    const property = async (one: string, other: string, how: World): Promise<void> => {
      const first = await run(door, one, how);
      const again = await run(door, other, how, first);
      const recorded = journalOf(first.calls);
      if (again.outcome.outcome === "diverged") {
        diverged += 1;
        assert.match(again.outcome.detail ?? "", /^(call|there is no|it ended before) /);
      }
      const made = journalOf(again.calls);
      const shorter = Math.min(recorded.length, made.length);
      assert.deepEqual(made.slice(0, shorter), recorded.slice(0, shorter));
      if (made.length < recorded.length)
        assert.equal(again.outcome.outcome, "diverged", `${one}\n---\n${other}\n${JSON.stringify(again.outcome)}`);
    };
    let diverged = 0;
    await fc.assert(fc.asyncProperty(program, program, world, property), { numRuns: 40, endOnFailure: true });
    assert.ok(diverged > 5, String(diverged));
  });
});
