// When the triggers of a version that is made active come first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asTenantId } from "@woml/run";
import { openForFile, publishText, type Tenant } from "./opened.ts";

const opened = await openForFile();
const HOUR = 3_600_000;
const flow = (n: number, ...triggers: readonly string[]): string =>
  `<woml><workflow id="timed"><triggers>${triggers.join("")}</triggers><steps><step id="s"><script>return ${n};</script></step></steps></workflow></woml>`;
const every = (length: string): string => `<interval id="often" every="${length}"/>`;
const daily = (cron: string): string => `<schedule id="daily" cron="${cron}" timezone="America/New_York"/>`;

async function times({ id }: Tenant): Promise<Readonly<Record<string, { readonly since: number; readonly nextAt: number | null }>>> {
  const { items } = await opened.store.withTenant(asTenantId(id), (scope) => scope.triggers(["timed"], { first: 9, after: null }));
  return Object.fromEntries(items.map(({ trigger, since, nextAt }) => [trigger, { since, nextAt }]));
}

test("an interval is counted from its activation, a schedule comes at its next time, and what stays as it is keeps its slot", async () => {
  const tenant = await opened.tenant("timed");
  await publishText(tenant, flow(1, every("13h"), daily("30 2 * * *")));
  const first = await times(tenant);
  assert.equal(first["often"]?.nextAt, (first["often"]?.since ?? 0) + 13 * HOUR);
  const { nextAt = null, since = 0 } = first["daily"] ?? {};
  assert.ok(nextAt !== null && nextAt > since && nextAt - since <= 26 * HOUR);
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "America/New_York", hour: "2-digit", minute: "2-digit" });
  assert.equal(clock.format(nextAt), "02:30");
  await publishText(tenant, flow(2, every("13h"), daily("30 3 * * *")));
  const second = await times(tenant);
  assert.deepEqual(second["often"], first["often"]);
  assert.equal((second["daily"]?.nextAt ?? 0) % HOUR, 30 * 60_000);
  assert.ok((second["daily"]?.since ?? 0) > since);
});

/** When New York's clocks skip the hour from two next: on the second Sunday of March, at 07:00 UTC. */
function nextGap(now: number): Date {
  for (let year = new Date(now).getUTCFullYear(); ; year++) {
    const first = new Date(Date.UTC(year, 2, 1)).getUTCDay();
    const gap = new Date(Date.UTC(year, 2, 1 + ((7 - first) % 7) + 7, 7));
    if (gap.getTime() > now + HOUR) return gap;
  }
}

test("a setting that was there before the version decides", async () => {
  const gap = nextGap(Date.now());
  const skipped = daily(`30 2 ${gap.getUTCDate()} 3 *`);
  const tenant = await opened.tenant("timed-before");
  await publishText(tenant, flow(1, skipped), false);
  const set = 'mutation ($s: JSON) { setTrigger(input: { workflow: "timed", trigger: "daily", setting: $s }) { trigger { id } } }';
  await tenant.field("setTrigger", set, { s: { repeatedHour: "once" } });
  await publishText(tenant, flow(1, skipped));
  assert.equal((await times(tenant))["daily"]?.nextAt, gap.getTime());
  const other = await opened.tenant("timed-without");
  await publishText(other, flow(1, skipped));
  assert.ok(((await times(other))["daily"]?.nextAt ?? 0) > gap.getTime() + 300 * 24 * HOUR);
});

test("a day that never comes leaves a schedule without a slot", async () => {
  const tenant = await opened.tenant("timed-never");
  await publishText(tenant, flow(1, daily("0 0 30 2 *")));
  assert.equal((await times(tenant))["daily"]?.nextAt, null);
});
