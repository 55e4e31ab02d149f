import assert from "node:assert/strict";
import { test } from "node:test";
import { cronFault } from "@woml/model/laws";
import fc from "fast-check";
import { check } from "./sources.ts";
import { lowered, told, triggered } from "./triggers.ts";

const schedule = (attributes: string): string => `<schedule id="t" ${attributes} />`;
const cron = (text: string): string => schedule(`cron="${text}"`);

const CRONS = [
  "* * * * *",
  "0 0 31 2 *",
  "5/15 * * * *",
  "*/100 */1 * * *",
  "0-59 0-23 1-31 1-12 0-7",
  "00 09 * * 1-5",
  "1,2,3-4/2,*/5 * * * 7",
  "0 0 * * 7",
  `${"1,".repeat(122)}23 * * * *`,
];
for (const text of CRONS) {
  test(`a cron text: ${text.slice(0, 30)}`, () => {
    assert.deepEqual(lowered(cron(text)), { id: "t", kind: "schedule", cron: text, timezone: "UTC", onMissed: "skip" });
  });
}

const NO_CRONS = [
  ...["", " ", "* * * *", "* * * * * *", "*  * * * *", " * * * * *", "* * * * * ", "*\t* * * *", "@daily"],
  ...["60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8", "0-60 * * * *"],
  ...["*/0 * * * *", "5-4 * * * *", "1- * * * *", "-1 * * * *", "1,,2 * * * *", ",1 * * * *", "1, * * * *", "*/ * * * *", "/5 * * * *"],
  ...["* * * JAN *", "* * * * MON", "? * * * *", "* * L * *", "* * 1W * *", "* * * * 1#2", "1.5 * * * *", "+1 * * * *", "*-5 * * * *"],
  ...["1-2-3 * * * *", "*/5/2 * * * *", "** * * * *", "０ * * * *", `${"1,".repeat(123)}234 * * * *`],
];
for (const text of NO_CRONS) {
  test(`no cron text: ${text.slice(0, 30)}`, () => assert.deepEqual(told(cron(text)), [`SCHEDULE_CRON_INVALID ${text}`]));
}

test("a cron text says in which field it is wrong", () => {
  const [told] = check(triggered(cron("0 0 * JAN *"))).diagnostics;
  assert.equal(told?.message, 'The month "JAN" is neither *, a number nor a range of numbers.');
});

/** Another reading of the dialect, by its minutes, hours and days instead of its text. */
function isCron(text: string): boolean {
  const ranges = [0, 59, 0, 23, 1, 31, 1, 12, 0, 7];
  const fields = text.split(" ");
  const digits = (part: string): boolean => part !== "" && [...part].every((digit) => "0123456789".includes(digit));
  const isPart = (part: string, from: number, to: number): boolean => {
    const [head = "", step, ...more] = part.split("/");
    if (more.length > 0 || (step !== undefined && !(digits(step) && Number(step) > 0))) return false;
    if (head === "*") return true;
    const ends = head.split("-");
    const [first = Number.NaN, last = first] = ends.map(Number);
    return ends.length <= 2 && ends.every(digits) && from <= first && first <= last && last <= to;
  };
  return (
    fields.length === 5 &&
    fields.every((field, at) => field.split(",").every((part) => isPart(part, ranges[2 * at] ?? 0, ranges[2 * at + 1] ?? 0)))
  );
}

test("another reading of cron texts accepts the same", () => {
  const number = fc.oneof(fc.nat(61).map(String), fc.constantFrom("", "*", "00", "x", "-"));
  const part = fc
    .tuple(number, fc.option(number), fc.option(number))
    .map(([from, to, step]) => `${from}${to === null ? "" : `-${to}`}${step === null ? "" : `/${step}`}`);
  const field = fc.oneof(
    { arbitrary: fc.constantFrom("*", "1", "1-5", "*/2", "2/3", "1,2"), weight: 3 },
    fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(",")),
  );
  const text = fc.array(field, { minLength: 5, maxLength: 5 }).map((fields) => fields.join(" "));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (written) => assert.equal(cronFault(written) === null, isCron(written))),
    { numRuns: 2_000 },
  );
});

test("zones are those that ICU lists, and UTC", () => {
  for (const zone of ["UTC", "Europe/Berlin", "America/Los_Angeles", ...Intl.supportedValuesOf("timeZone").slice(0, 20)]) {
    assert.deepEqual(told(schedule(`cron="* * * * *" timezone="${zone}"`)), []);
  }
  for (const zone of ["", "utc", "Etc/UTC", "US/Pacific", "+02:00", "CET", "europe/berlin", "Europe/Atlantis", "local"]) {
    if (Intl.supportedValuesOf("timeZone").includes(zone)) continue;
    assert.deepEqual(told(schedule(`cron="* * * * *" timezone="${zone}"`)), [`SCHEDULE_TIMEZONE_INVALID ${zone}`]);
  }
});

test("a zone by another name is told the one it goes by", () => {
  const hint = (zone: string): string | null | undefined =>
    check(triggered(schedule(`cron="* * * * *" timezone="${zone}"`))).diagnostics[0]?.hint;
  assert.equal(hint("US/Pacific"), "Write America/Los_Angeles: a zone goes by one name.");
  assert.equal(hint("Etc/UTC"), "Write UTC: a zone goes by one name.");
  assert.equal(hint("Europe/Berln"), "Did you mean Europe/Berlin?");
});

const INTERVALS = [
  ["1s", 1_000],
  ["1000ms", 1_000],
  ["90s", 90_000],
  ["15m", 900_000],
  ["36h", 129_600_000],
  ["30d", 2_592_000_000],
] as const;
for (const [every, everyMs] of INTERVALS) {
  test(`an interval of ${every}`, () => {
    assert.deepEqual(lowered(`<interval id="t" every="${every}" on-missed="run-once" />`), {
      id: "t",
      kind: "interval",
      everyMs,
      onMissed: "run-once",
    });
  });
}

for (const every of ["", "0s", "999ms", "31d", "30.0d", "1.5s", "1", "s", "01s", "1 s", "-1s", "1w", "1S", "2592000001ms", "1e3ms"]) {
  test(`no interval: ${every}`, () => assert.deepEqual(told(`<interval id="t" every="${every}" />`), [`INTERVAL_INVALID ${every}`]));
}

test("missed times are skipped, or made up for once", () => {
  assert.deepEqual(told(schedule('cron="* * * * *" on-missed="run-once"')), []);
  assert.deepEqual(told(schedule('cron="* * * * *" on-missed="all"')), ["TRIGGER_MISFIRE_INVALID all"]);
  assert.deepEqual(told('<interval id="t" every="1s" on-missed="" />'), ["TRIGGER_MISFIRE_INVALID "]);
});
