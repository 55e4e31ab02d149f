import assert from "node:assert/strict";
import { test } from "node:test";
import { BOUNDS } from "../bounds.ts";
import { Fences } from "../fence.ts";
import { serve } from "./broker-place.ts";
import { asked, openPlace, plugin } from "./place.ts";

const asker = { engine: "e", tenant: "a", run: "r", epoch: 2, now: 1_000, notAfter: 1_500 };
function opened(most?: number) {
  const clock = { ms: 10 };
  return { clock, fences: new Fences(() => clock.ms, most) };
}
const reason = (refusal: ReturnType<Fences["check"]>) => refusal?.reason;

test("1: the highest epoch stays; a lower one is refused, another run's and another tenant's do not count", () => {
  const { fences } = opened();
  assert.equal(fences.check(asker), undefined);
  assert.equal(reason(fences.check({ ...asker, epoch: 1 })), "fenced");
  assert.equal(fences.check({ ...asker, epoch: 2 }), undefined);
  assert.equal(fences.check({ ...asker, epoch: 1, run: "other" }), undefined);
  assert.equal(fences.check({ ...asker, epoch: 1, tenant: "b" }), undefined);
  assert.equal(fences.claim({ ...asker, epoch: 3, notAfter: 0 }), undefined);
  assert.equal(reason(fences.recheck(asker)), "fenced");
});

test("2: nothing past notAfter, by a clock that follows the latest word and never goes back", () => {
  const { fences, clock } = opened();
  assert.equal(fences.check(asker), undefined);
  clock.ms += 500;
  assert.equal(fences.recheck(asker), undefined);
  clock.ms += 1;
  assert.equal(reason(fences.recheck(asker)), "late");
  assert.equal(reason(fences.check({ ...asker, now: 900, notAfter: 1_499 })), "late");
  assert.equal(fences.check({ ...asker, run: "x", now: 5_000, notAfter: 5_001 }), undefined);
  assert.equal(reason(fences.check({ ...asker, run: "y", notAfter: 4_999 })), "late");
  assert.equal(fences.now, 5_000);
});

test("1: epochs are forgotten only after an hour; without room nothing new is accepted, what is known still is", () => {
  const { fences, clock } = opened(2);
  for (const run of ["r", "s"]) assert.equal(fences.check({ ...asker, run }), undefined);
  clock.ms += BOUNDS.fenceKeptMs - 1;
  const late = { ...asker, notAfter: 1e12 };
  assert.equal(reason(fences.check({ ...late, run: "t" })), "overloaded");
  assert.equal(reason(fences.check({ ...late, epoch: 1 })), "fenced");
  clock.ms += 1;
  assert.equal(fences.check({ ...late, run: "t" }), undefined);
  assert.equal(reason(fences.check({ ...late, epoch: 1 })), "fenced", "r was heard of a moment ago, s was not");
});

test("the host refuses late and overtaken dispatches, and performs nothing of them", async (t) => {
  const { port, seen } = await serve(t, (_, response) => response.end());
  const network = [{ host: "127.0.0.1", ports: [port], methods: ["POST"], reason: "test" }];
  const sends = plugin({
    perform: `return (await call.http.request({ method: "POST", url: "http://127.0.0.1:${port}/" })).status;`,
    manifest: { permissions: { network } },
  });
  const { door } = await openPlace(t, { privateHosts: [`127.0.0.1:${port}`] });
  const first = asked(sends, { epoch: 2 });
  const refusal = async (dispatch: typeof first) => {
    const performed = await door.perform(dispatch);
    return performed.status === "refused" ? performed.reason : performed.status;
  };
  assert.equal(await refusal({ ...first, notAfter: first.now - 1 }), "late");
  assert.equal(await refusal(first), "succeeded");
  assert.equal(await refusal({ ...first, try: 2, epoch: 1 }), "fenced");
  const found = await door.reattach({ ...first, try: 2, epoch: 1 });
  assert.deepEqual([found.status, found.status === "refused" && found.reason], ["refused", "fenced"]);
  assert.equal(await door.attach({ ...first, try: 3, epoch: 5, notAfter: 0 }), null);
  assert.equal(await refusal({ ...first, try: 4, epoch: 4 }), "fenced");
  assert.equal(await refusal({ ...first, try: 3, epoch: 5 }), "fenced", "it was said to be unknown, so it never comes to be");
  const below = await door.attach({ ...first, epoch: 4 });
  assert.deepEqual([below?.status, below?.status === "refused" && below.reason], ["refused", "fenced"]);
  assert.equal((await door.attach({ ...first, epoch: 5 }))?.status, "succeeded");
  assert.equal(seen.length, 1);
});

test("the fence is asked again when the process has started: a dispatch that was overtaken meanwhile is not performed", async (t) => {
  const { port, seen } = await serve(t, (_, response) => response.end());
  const network = [{ host: "127.0.0.1", ports: [port], methods: ["POST"], reason: "test" }];
  const sends = plugin({
    perform: `return (await call.http.request({ method: "POST", url: "http://127.0.0.1:${port}/" })).status;`,
    outside: "await new Promise((resolve) => setTimeout(resolve, 3_000));",
    manifest: { permissions: { network } },
  });
  const { door } = await openPlace(t, { privateHosts: [`127.0.0.1:${port}`] });
  // What performing takes is loaded by the first; on a busy machine that takes longer than the times below.
  await door.perform(asked(plugin({ perform: "return 1;" })));
  const [overtaken, late, kept] = [asked(sends), asked(sends), asked(sends)];
  const performed = Promise.all([
    door.perform(overtaken),
    door.perform({ ...late, notAfter: late.now + 1_000 }),
    door.perform({ ...kept, notAfter: kept.now + 1_000 }),
  ]);
  const attached = door.attach({ ...overtaken, epoch: 2 });
  const joined = door.perform({ ...kept, epoch: 2 });
  const [first, second, third] = await performed;
  assert.deepEqual([first.status, first.status === "refused" && first.reason], ["refused", "fenced"]);
  assert.deepEqual([second.status, second.status === "refused" && second.reason], ["refused", "late"]);
  assert.equal(await attached, null, "it was not performed, and will not be");
  const wanted = [third, await joined].map(({ status }) => status);
  assert.deepEqual(wanted, ["succeeded", "succeeded"], `whose run it is now wants it still: ${JSON.stringify(third)}`);
  assert.equal(seen.length, 1);
});
