// A run that has failed behind effects that were had: mended from outside, it goes on in a new one, and nothing is done twice.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { ended, field, flat, publish, ROOT, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { acmeFor, review, tenantOf } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";

const PORT = 4017;
const { startPayments } = await import(join(ROOT, "examples/payments-server/payments.ts"));
const { platform, folder } = await upForFile({ privateHosts: [`127.0.0.1:${PORT}`] });
const payments = await startPayments({ port: PORT, ledger: join(folder, "ledger"), apiKey: "k-1234567" });
after(() => payments.close());
beforeEach(() => payments.clearFaults());
await review(platform, await acmeFor(PORT), [await tenantOf(platform)]);
assert.equal((await woml(folder, ["secrets", "set", "ACME_API_KEY"], { stdin: "k-1234567" })).code, 0);

const PAYMENT = '{ amount: 1000, currency: "EUR", customer: "cu_1" }';
const STEPS = {
  order: "return { id: context.payload.id };",
  charge: `return await services.payments.charge(${PAYMENT});`,
  back: `const back = await services.payments.refund({ charge: context.steps.charge.id, amount: 100, currency: "EUR" });
    const quote = await services.payments.quote({ amount: 1000, currency: "EUR" });
    return { order: context.steps.order.id, back: back.id, total: quote.total };`,
};
function workflow(id: string): string {
  const steps = Object.entries(STEPS).map(([step, script]) => `<step id="${step}"><script>${script}</script></step>`);
  return `<woml><imports><uses capability="acme.payments" version="^1" as="payments"/></imports>
    <workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${steps.join("")}</steps></workflow></woml>`;
}
/** Its last step has refunded, and then was refused a quote. */
async function failed(id: string): Promise<SeenRun> {
  payments.inject({ kind: "answer", on: "quote", status: 400, times: 9 });
  await publish(platform, workflow(id));
  const run = await runUntil(platform, await start(platform, { workflow: id, payload: { id: 7 } }), ended);
  assert.equal(run.status, "FAILED");
  payments.clearFaults();
  return run;
}
const effects = (): number => payments.effects().length;
const resume = async (id: string, ...args: readonly string[]) => woml(folder, ["runs", "resume", id, ...args, "-o", "json"]);
const SEEN =
  "query ($id: ID!) { run(id: $id) { resumedFrom { run from } resumedBy rerunOf operations { edges { node { id reused tries evidence outcome } } } } }";
interface Seen {
  readonly resumedFrom: object | null;
  readonly resumedBy: readonly string[];
  readonly rerunOf: string | null;
  readonly operations: readonly {
    readonly id: string;
    readonly reused: number | null;
    readonly tries: number;
    readonly evidence: string;
  }[];
}
const seenOf = async (id: string): Promise<Seen> => flat(field(await platform.ask(SEEN, { id }), "run"));

test("a run that failed behind a refund is resumed there: the refund is answered from its log, and what comes after is done", async () => {
  const before = effects();
  const { id } = await failed("mended");
  assert.equal(effects(), before + 2);
  const said = await resume(id, "--from", "back");
  assert.equal(said.code, 0, said.stderr);
  const next = await runUntil(platform, said.json().id, ended);
  assert.equal(next.status, "SUCCEEDED", JSON.stringify(next.failure));
  assert.equal((next.result as { order: number }).order, 7);
  assert.equal(effects(), before + 2, "neither charge nor refund was done again");
  const seen = await seenOf(next.id);
  assert.deepEqual(seen.resumedFrom, { run: id, from: "back" });
  assert.deepEqual((await seenOf(id)).resumedBy, [next.id]);
  assert.deepEqual(
    seen.operations.map(({ id: of, reused }) => [of, reused]),
    [
      ["back:1:1", 0],
      ["back:1:2", null],
    ],
  );
  assert.match(seen.operations[0]?.evidence ?? "", /^run_.* had performed it$/);
  assert.equal((await woml(folder, ["verify"])).code, 0);
});

test("resumed from before the charge, by a run that fails as well, and once more from later: still each effect once", async () => {
  const before = effects();
  const { id } = await failed("twice");
  payments.inject({ kind: "answer", on: "quote", status: 400, times: 9 });
  const second = await runUntil(platform, (await resume(id, "--from", "charge")).json().id, ended);
  assert.equal(second.status, "FAILED");
  payments.clearFaults();
  assert.match((await resume(id, "--from", "back")).stderr, /^WOML_RUN_ALREADY_RESUMED: .*run_/);
  const third = await runUntil(platform, (await resume(second.id, "--from", "back")).json().id, ended);
  assert.equal(third.status, "SUCCEEDED");
  assert.equal(effects(), before + 2);
});

test("with another payload the effects are listed first, and happen once more when they are named", async () => {
  const before = effects();
  const { id } = await failed("edited");
  const edited = ["--from", "charge", "--payload", '{"id":8}'];
  const refused = await resume(id, ...edited);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^WOML_RESUME_EFFECTS_UNACKNOWLEDGED: .*back:1:1, charge:1:1/);
  const said = await resume(id, ...edited, "--acknowledge", "back:1:1", "charge:1:1");
  const next = await runUntil(platform, said.json().id, ended);
  assert.deepEqual([next.status, effects()], ["SUCCEEDED", before + 4]);
  assert.equal((next.result as { order: number }).order, 7, "what stands before is taken over as it was");
});

test("what another definition would have decided is said without any effect", async () => {
  const { id } = await failed("supposed");
  const before = effects();
  writeFileSync(
    join(folder, "retry.woml"),
    workflow("supposed").replace('<step id="back">', '<step id="back" retry="2" retry-delay="1s">'),
  );
  writeFileSync(join(folder, "same.woml"), workflow("supposed"));
  assert.equal((await woml(folder, ["what-if", id, "--against", "same.woml"])).stdout, "no differences\n");
  const said = await woml(folder, ["what-if", id, "--against", "retry.woml", "--json"]);
  assert.equal(said.code, 0, said.stderr);
  // A refused quote is no failure that another attempt may cure.
  assert.deepEqual(said.json(), { run: id, against: "retry.woml", differences: [], wouldRun: [], rewritten: [] });
  writeFileSync(join(folder, "short.woml"), workflow("supposed").replace(/<step id="back">.*<\/step>/s, ""));
  const short = await woml(folder, ["what-if", id, "--against", "short.woml"]);
  assert.match(short.stdout, /^step +back +failed: \w+ +–$/m);
  assert.match(short.stdout, /^run +failed: \w+ +succeeded$/m);
  assert.equal(effects(), before);
});

test("a rerun begins from the beginning with the version that is active now, and takes over nothing", async () => {
  const { id } = await failed("again");
  const before = effects();
  await publish(platform, workflow("again").replace("return { id: context.payload.id };", "return { id: context.payload.id * 2 };"));
  const said = await woml(folder, ["runs", "rerun", id, "-o", "json"]);
  const next = await runUntil(platform, said.json().id, ended);
  assert.deepEqual([next.status, (next.result as { order: number }).order], ["SUCCEEDED", 14]);
  assert.deepEqual([(await seenOf(next.id)).rerunOf, effects()], [id, before + 2]);
});
