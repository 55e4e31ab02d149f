import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json } from "@woml/model";
import type { Invocation, JournalEntry, Sandbox, ScriptCall, ScriptOutcome } from "@woml/sandbox";
import { script } from "./sandbox-contract.ts";

const AT = 1_700_000_000_000;
/** What a call is answered; null: not at all. */
type Provider = (call: ScriptCall) => Json | { readonly refused: string } | null;
interface Heard {
  readonly outcome: ScriptOutcome;
  readonly calls: readonly ScriptCall[];
}

/** What the engine relies on when scripts call operations; the double of its tests and the real sandbox both keep it. */
export function talkContract(name: string, start: () => Promise<Sandbox>): void {
  describe(`calls of scripts: ${name}`, () => {
    let sandbox: Sandbox;
    before(async () => {
      sandbox = await start();
    });
    after(() => sandbox.close());

    const run = async (text: string, provider: Provider, more: Partial<Invocation> = {}): Promise<Heard> => {
      const frame = script(text, { operations: ["shop.buy", "shop.sell"], parkAfterMs: 2_000, journal: [], ...more });
      const calls: ScriptCall[] = [];
      const answer = (call: ScriptCall): void => {
        calls.push(call);
        const told = provider(call);
        if (told !== null) sandbox.answer(frame.invocation, { call: call.call, text: textOf(told), at: AT });
      };
      const outcome = sandbox.invoke(frame, { call: answer });
      return { outcome: await outcome, calls };
    };

    it("numbers them, passes name and input as they are, and says what was seen in between", async () => {
      const { outcome, calls } = await run(
        'const a = await services.shop.buy({ n: 1 }, { name: "first" }); const b = await services.shop.sell(a); return [a, b];',
        ({ call, input }) => ({ call, was: JSON.parse(input) }),
      );
      const first = { call: 1, was: { n: 1 } };
      assert.deepEqual(JSON.parse(outcome.result ?? outcome.outcome), [first, { call: 2, was: first }]);
      assert.deepEqual(
        calls.map(({ call, operation, name: named, input, seen }) => [call, operation, named, JSON.parse(input), seen]),
        [
          [1, "shop.buy", "first", { n: 1 }, []],
          [2, "shop.sell", null, first, [{ answer: 1 }]],
        ],
      );
    });
    it("tells of a refusal as an error with its code, and says which one was thrown on", async () => {
      const caught = await run("try { await services.shop.buy(1); } catch (error) { return error.code; }", () => ({ refused: "NO" }));
      assert.equal(caught.outcome.result, '"NO"');
      const thrown = await run("await services.shop.buy(1);", () => ({ refused: "NO" }));
      assert.deepEqual([thrown.outcome.outcome, thrown.outcome.failure?.call], ["script_threw", 1]);
      const other = await run("try { await services.shop.buy(1); } catch { throw new Error('mine'); }", () => ({ refused: "NO" }));
      assert.deepEqual([other.outcome.outcome, other.outcome.failure?.call], ["script_threw", undefined]);
    });
    it("ends in waiting when it only waits for answers for too long", async () => {
      const { outcome, calls } = await run("return await services.shop.buy(1);", () => null, { parkAfterMs: 60 });
      assert.deepEqual([outcome.outcome, calls.length], ["waiting", 1]);
    });

    const order = "const seen = []; const one = async (n) => { seen.push(await services.shop.buy(n)); };";
    const both = `${order} await Promise.all([one(1), one(2)]); await services.shop.sell(seen); return seen;`;
    const replay = (text: string, journal: readonly JournalEntry[], answers: readonly number[]): Promise<Heard> => {
      const frame = script(text, { operations: ["shop.buy", "shop.sell"], parkAfterMs: 500, journal });
      const calls: ScriptCall[] = [];
      const outcome = sandbox.invoke(frame, { call: (call) => void calls.push(call) });
      for (const call of answers) sandbox.answer(frame.invocation, { call, text: textOf(`answer ${call}`), at: AT });
      return outcome.then((ended) => ({ outcome: ended, calls }));
    };
    it("plays a journal: answers that were given ahead are told in its order, and what comes after it in theirs", async () => {
      const journal = [{ call: 1 }, { call: 2 }, { answer: 2 }, { answer: 1 }, { call: 3 }];
      const { outcome, calls } = await replay(both, journal, [1, 3, 2]);
      assert.equal(outcome.result, '["answer 2","answer 1"]', outcome.detail ?? outcome.outcome);
      assert.deepEqual(
        calls.map(({ call, seen }) => [call, seen]),
        [
          [1, []],
          [2, []],
          [3, [{ answer: 2 }, { answer: 1 }]],
        ],
      );
      const onward = await replay(both, [{ call: 1 }, { call: 2 }], [2, 1, 3]);
      assert.equal(onward.outcome.result, '["answer 2","answer 1"]');
    });
    it("ends in diverged where a call comes before what it had seen, or does not come", async () => {
      const early = await replay(both, [{ call: 1 }, { answer: 1 }, { call: 2 }], [1, 2]);
      assert.equal(early.outcome.outcome, "diverged");
      const never = await replay(
        "await services.shop.buy(1); await new Promise(() => {});",
        [{ call: 1 }, { answer: 1 }, { call: 2 }],
        [1],
      );
      assert.equal(never.outcome.outcome, "diverged");
    });
    it("minds no answer of an invocation that it does not know, or of a call that was never made", async () => {
      sandbox.answer("00000000-0000-7000-8000-00000000ffff", { call: 1, text: textOf(1), at: AT });
      const { outcome } = await run("return 1;", () => null);
      assert.equal(outcome.result, "1");
    });
  });
}

function textOf(told: Json | { readonly refused: string }): string {
  if (typeof told !== "object" || told === null || !("refused" in told)) return JSON.stringify({ ok: true, value: told });
  return JSON.stringify({ ok: false, code: told.refused, message: "it says no", retryable: false, ambiguous: false });
}
