import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY_MS, durationMs } from "../duration.ts";
import { check, codes, step, workflow } from "./sources.ts";

const YEAR_MS = 365 * DAY_MS;

for (const [text, ms] of [
  ["1ms", 1],
  ["250ms", 250],
  ["1s", 1_000],
  ["0.5s", 500],
  ["0.001s", 1],
  ["1.50s", 1_500],
  [`1.5${"0".repeat(400_000)}s`, 1_500],
  [`0.${"0".repeat(400_000)}1d`, null],
  ["0.07m", 4_200],
  ["1.1s", 1_100],
  ["2h", 7_200_000],
  ["365d", YEAR_MS],
  ["0.0000115740740d", null],
  ["0.5ms", null],
  ["0s", null],
  ["0.0s", null],
  ["366d", null],
  ["01s", null],
  ["00.5s", null],
  [".5s", null],
  ["1.s", null],
  ["+1s", null],
  ["-1s", null],
  ["1 s", null],
  ["1s ", null],
  ["1", null],
  ["1e3ms", null],
  ["1S", null],
  ["1w", null],
  ["", null],
  [`${"9".repeat(400_000)}s`, null],
] as const) {
  test(`${text.slice(0, 20)} is ${ms} ms`, () => assert.equal(durationMs(text, YEAR_MS), ms));
}

test("a whole number of milliseconds, written in any unit with any fraction, is read exactly", () => {
  const units = [
    ["s", 1_000n],
    ["m", 60_000n],
    ["h", 3_600_000n],
  ] as const;
  fc.assert(
    fc.property(fc.nat(9_999), fc.nat(999), fc.constantFrom(...units), (whole, thousandths, [unit, factor]) => {
      const exact = (BigInt(whole) * 1_000n + BigInt(thousandths)) * factor;
      const expected = exact % 1_000n === 0n && exact > 0n && exact / 1_000n <= BigInt(YEAR_MS) ? Number(exact / 1_000n) : null;
      assert.equal(durationMs(`${whole}.${String(thousandths).padStart(3, "0")}${unit}`, YEAR_MS), expected);
    }),
  );
});

const triggers = '<triggers><manual id="go" /></triggers>';

test("a config timeout is 1ms to 365d", () => {
  const timeout = (value: string) => workflow(step("a"), `${triggers}<config timeout="${value}" />`);
  assert.deepEqual(check(timeout("90s")).definition?.policy, { timeoutMs: 90_000 });
  assert.deepEqual(codes(timeout("366d")), ["WOML_CONFIG_TIMEOUT_INVALID"]);
  assert.deepEqual(codes(timeout("")), ["WOML_CONFIG_TIMEOUT_INVALID"]);
  assert.equal("policy" in (check(workflow(step("a"))).definition ?? {}), false);
});

const retry = (attributes: string) => workflow(step("a", "return 1;", attributes));
const fixed = (delayMs: number) => ({ kind: "fixed", delayMs });
const exponential = (delayMs: number, maxDelayMs: number) => ({ kind: "exponential", delayMs, maxDelayMs });

for (const [attributes, expected] of [
  ["", undefined],
  ['retry="1"', undefined],
  ['retry="2"', { maxAttempts: 2, backoff: exponential(1_000, 30_000) }],
  ['retry="10" retry-delay="45s"', { maxAttempts: 10, backoff: exponential(45_000, 45_000) }],
  ['retry="3" retry-delay="2s" retry-max-delay="2s"', { maxAttempts: 3, backoff: exponential(2_000, 2_000) }],
  ['retry="3" retry-backoff="exponential" retry-max-delay="24h"', { maxAttempts: 3, backoff: exponential(1_000, DAY_MS) }],
  ['retry="3" retry-backoff="fixed"', { maxAttempts: 3, backoff: fixed(1_000) }],
  ['retry="3" retry-backoff="fixed" retry-delay="100ms"', { maxAttempts: 3, backoff: fixed(100) }],
] as const) {
  test(`retry: ${attributes || "nothing"}`, () => {
    const node = check(retry(attributes)).definition?.nodes[0];
    assert.ok(node?.kind === "step");
    assert.deepEqual(node.retry, expected);
  });
}

for (const [attributes, code] of [
  ['retry="11"', "WOML_RETRY_INVALID"],
  ['retry=""', "WOML_RETRY_INVALID"],
  ['retry="03"', "WOML_RETRY_INVALID"],
  ['retry="0" retry-delay="1s"', "WOML_RETRY_INVALID"],
  ['retry="1" retry-backoff="fixed" retry-delay="0"', "WOML_RETRY_BACKOFF_REQUIRES_RETRY"],
  ['retry="3" retry-backoff=""', "WOML_RETRY_BACKOFF_INVALID"],
  ['retry="3" retry-delay="25h"', "WOML_RETRY_DELAY_INVALID"],
  ['retry="3" retry-max-delay="999ms"', "WOML_RETRY_MAX_DELAY_INVALID"],
  ['retry="3" retry-max-delay="soon"', "WOML_RETRY_MAX_DELAY_INVALID"],
  ['retry="3" retry-backoff="fixed" retry-max-delay="soon"', "WOML_RETRY_MAX_DELAY_NOT_ALLOWED"],
] as const) {
  test(`retry: ${attributes} is ${code}`, () => assert.deepEqual(codes(retry(attributes)), [code]));
}
