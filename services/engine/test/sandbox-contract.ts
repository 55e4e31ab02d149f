import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Invocation, Sandbox, ScriptOutcome } from "@woml/sandbox";

const LIMITS = { cpuMs: 500, wallMs: 2_000, heapMb: 64, resultBytes: 1_000, consoleBytes: 1_000 };
const PATIENT = { ...LIMITS, wallMs: 30_000 };
let count = 0;

export function script(text: string, more: Partial<Invocation> = {}): Invocation {
  count += 1;
  const place = { file: "contract.woml", line: 3, column: 5 };
  return {
    invocation: `00000000-0000-7000-8000-${String(count).padStart(12, "0")}`,
    tenant: "00000000-0000-7000-8000-00000000aaaa",
    script: { digest: `sha256:${String(count).padStart(64, "0")}`, text, ...place },
    context: '{"payload":{"n":1},"trigger":{"n":1},"steps":{}}',
    attempt: '{"number":1,"maxAttempts":1,"idempotencyKey":"k"}',
    limits: LIMITS,
    startedAt: 1_700_000_000_000,
    chance: { math: "0".repeat(64), crypto: "1".repeat(64) },
    ...more,
  };
}

/** A sandbox with room for one script at a time, and its end: as if it had been killed, or in order. */
interface Losable {
  readonly sandbox: Sandbox;
  readonly lose: () => void;
}
export function lossContract(name: string, start: () => Promise<Losable>): void {
  describe(`sandbox contract, when it is lost: ${name}`, () => {
    it("answers host_unavailable for what had begun, overloaded for what had not, and nothing of that is heard", async () => {
      const { sandbox, lose } = await start();
      const [first, heard] = [Promise.withResolvers<void>(), new Set<string>()];
      const all = Array.from({ length: 9 }, () =>
        script("await services.shop.buy(1); await new Promise(() => {});", { operations: ["shop.buy"], limits: PATIENT }),
      );
      const outcomes = all.map((one) => {
        const call = (): void => {
          heard.add(one.invocation);
          first.resolve();
        };
        return sandbox.invoke(one, { call });
      });
      await first.promise;
      lose();
      const [live, ...behind] = await Promise.all(outcomes);
      assert.equal(live?.outcome, "host_unavailable");
      for (const { outcome, retryAfterMs = 0 } of behind) assert.ok(outcome === "overloaded" && retryAfterMs > 0);
      assert.deepEqual([...heard], [all[0]?.invocation]);
      await sandbox.close();
    });
  });
}

/** What the engine relies on; the double of its tests and the real sandbox both keep it. */
export function sandboxContract(name: string, start: () => Promise<Sandbox>): void {
  describe(`sandbox contract: ${name}`, () => {
    let sandbox: Sandbox;
    before(async () => {
      sandbox = await start();
    });
    after(() => sandbox.close());

    it("answers a result as JSON text, with the time it took", async () => {
      const outcome = await sandbox.invoke(script("return { next: context.payload.n + 1, attempt: attempt.number };"));
      assert.equal(outcome.outcome, "ok");
      assert.deepEqual(JSON.parse(outcome.result ?? ""), { next: 2, attempt: 1 });
      assert.ok(Number.isFinite(outcome.cpuMs) && Number.isFinite(outcome.ms));
    });
    it("tells what was thrown", async () => {
      const outcome = await sandbox.invoke(script('throw new TypeError("no such order");'));
      assert.equal(outcome.outcome, "script_threw");
      assert.equal(outcome.failure?.name, "TypeError");
      assert.equal(outcome.failure?.message, "no such order");
    });
    const ends: readonly (readonly [string, string, ScriptOutcome["outcome"]])[] = [
      ["no JavaScript", "return ((;", "script_syntax"],
      ["no result", "", "invalid_result"],
      ["a function as result", "return () => 1;", "invalid_result"],
      ["a result over the limit", 'return "x".repeat(2_000);', "result_too_large"],
    ];
    for (const [what, text, wanted] of ends)
      it(`answers ${wanted} for ${what}`, async () => assert.equal((await sandbox.invoke(script(text))).outcome, wanted));

    it("answers every one of many at once, each its own", async () => {
      const asked = Array.from({ length: 20 }, (_, n) => script(`return ${n};`));
      const outcomes = await Promise.all(asked.map((one) => sandbox.invoke(one)));
      assert.deepEqual(
        outcomes.map(({ result }) => result),
        asked.map((_, n) => String(n)),
      );
    });
    it("answers cancelled for what is cancelled, and minds no cancel of what it does not know", async () => {
      const long = script("await new Promise(() => {});");
      const outcome = sandbox.invoke(long);
      sandbox.cancel("00000000-0000-7000-8000-00000000ffff");
      sandbox.cancel(long.invocation);
      assert.equal((await outcome).outcome, "cancelled");
    });
    it("answers host_unavailable once it is closed", async () => {
      const other = await start();
      const running = other.invoke(script("await new Promise(() => {});"));
      await other.close();
      assert.equal((await running).outcome, "host_unavailable");
      assert.equal((await other.invoke(script("return 1;"))).outcome, "host_unavailable");
    });
  });
}
