// What scripts call, as their owner sees it afterwards; and what a person is asked, and may answer.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startFar } from "../../support/far.ts";
import { ended, field, flat, publish, ROOT, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { acmeFor, newTenant, review, tenantOf } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";

const { startPayments } = await import(join(ROOT, "examples/payments-server/payments.ts"));
const far = await startFar();
const { platform, folder } = await upForFile({ privateHosts: ["127.0.0.1:4019", `127.0.0.1:${far.port}`] });
const payments = await startPayments({ port: 4019, ledger: join(folder, "ledger"), apiKey: "k-1234567" });
after(async () => {
  await payments.close();
  await far.close();
});
beforeEach(() => payments.clearFaults());
const own = await tenantOf(platform);
await review(platform, await acmeFor(4019), [own]);
assert.equal((await woml(folder, ["secrets", "set", "ACME_API_KEY"], { stdin: "k-1234567" })).code, 0);

const EFFECTS = `query ($id: ID!) { run(id: $id) { status waiting unresolvedEffects head result failure
  operations(first: 100) { edges { node { id capability operation name class outcome told tries by evidence reused input result failure
    release settledAt } } } } }`;
interface Seen {
  readonly status: string;
  readonly waiting: { readonly cause: string; readonly operations: readonly string[]; readonly actions: readonly string[] } | null;
  readonly unresolvedEffects: readonly string[];
  readonly head: number;
  readonly result: unknown;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly operations: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly class: string;
    readonly tries: number;
    readonly by: string;
    readonly told: boolean;
    readonly name: string | null;
    readonly reused: number | null;
    readonly evidence: string;
    readonly failure: { readonly code: string } | null;
    readonly [more: string]: unknown;
  }[];
}
const seenOf = async (id: string, key?: string): Promise<Seen> => flat(field(await platform.ask(EFFECTS, { id }, key), "run"));

const RESOLVE = "mutation ($input: ResolveUnknownInput!) { resolveUnknown(input: $input) { run { status } } }";
const codeOf = async (input: object, key?: string): Promise<unknown> =>
  (await platform.ask(RESOLVE, { input }, key)).errors?.[0]?.extensions?.code;

/** Steps that use `payments`. */
function workflow(id: string, steps: Readonly<Record<string, string>>): string {
  const all = Object.entries(steps).map(([step, script]) => {
    const [name = "", ...attributes] = step.split(" ");
    return `<step id="${name}" ${attributes.join(" ")}><script>${script}</script></step>`;
  });
  return `<woml><imports><uses capability="acme.payments" version="^1" as="payments"/></imports>
    <workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${all.join("")}</steps></workflow></woml>`;
}
const PAYMENT = '{ amount: 1000, currency: "EUR", customer: "cu_1" }';
const REFUND = '{ charge: context.steps.charge.id, amount: 100, currency: "EUR" }';
const CHARGE = { charge: `return await services.payments.charge(${PAYMENT}, { name: "order" });` };
const until = (id: string, status: string): Promise<SeenRun> => runUntil(platform, id, (run) => run.status === status);

/** A refund whose answer is lost: nobody knows. */
async function unknownRefund(id: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  payments.inject({ kind: "lose-answer", on: "refund" });
  await publish(
    platform,
    workflow(id, { ...CHARGE, refund: `return await services.payments.refund(${REFUND}, { name: "back" });`, ...more }),
  );
  const run = await start(platform, { workflow: id });
  await until(run, "NEEDS_RESOLUTION");
  return run;
}
const refundsOf = (): number => payments.effects().filter(({ kind }: { kind: string }) => kind === "refund").length;

test("a run says what it called: class, outcome, tries, evidence, input with handles, in API and command line", async () => {
  const before = payments.effects().length;
  const steps = {
    quote: 'return await services.payments.quote({ amount: 1000, currency: "EUR" });',
    ...CHARGE,
    refund: `return await services.payments.refund(${REFUND});`,
  };
  await publish(platform, workflow("seen", steps));
  const id = await start(platform, { workflow: "seen" });
  await until(id, "SUCCEEDED");
  const { operations, waiting, unresolvedEffects, head } = await seenOf(id);
  assert.deepEqual(
    operations.map(({ id: of, class: kind, outcome, tries, by, name, told, reused }) => [of, kind, outcome, tries, by, name, told, reused]),
    [
      ["quote:1:1", "pure", "succeeded", 1, "script", null, false, null],
      ["charge:1:1", "reattachable", "succeeded", 1, "script", "order", false, null],
      ["refund:1:1", "unsafe", "succeeded", 1, "script", null, false, null],
    ],
  );
  assert.deepEqual([waiting, unresolvedEffects, head > 10], [null, [], true]);
  assert.ok(operations.every(({ evidence, release, settledAt }) => evidence !== "" && release && settledAt));
  assert.equal(payments.effects().length, before + 2);
  const shown = await woml(folder, ["runs", "operations", id]);
  assert.match(shown.stdout, /^charge:1:1 +acme\.payments\.charge "order" +reattachable +succeeded +1 +script/m);
});

test("lost answers: a charge is found again, a hold is sent again under its key, each performed once, a quote is asked again", async () => {
  const before = payments.effects().length;
  payments.inject({ kind: "lose-answer", on: "charge" });
  payments.inject({ kind: "lose-answer", on: "hold" });
  payments.inject({ kind: "lose-request", on: "quote" });
  await publish(
    platform,
    workflow("lost", {
      ...CHARGE,
      hold: `return await services.payments.hold(${PAYMENT});`,
      quote: 'return await services.payments.quote({ amount: 1000, currency: "EUR" });',
    }),
  );
  const id = await start(platform, { workflow: "lost" });
  await until(id, "SUCCEEDED");
  assert.equal(payments.effects().length, before + 2);
  const { operations } = await seenOf(id);
  assert.deepEqual(
    operations.map(({ id: of, outcome, tries, by }) => [of, outcome, tries, by]),
    [
      ["charge:1:1", "succeeded", 1, "script"],
      ["hold:1:1", "succeeded", 2, "recovery"],
      ["quote:1:1", "succeeded", 2, "recovery"],
    ],
  );
  assert.match(operations[0]?.evidence ?? "", /provider was asked/);
});

test("an unknown outcome: the run waits, says for what, and goes on with what a person says it answered", async () => {
  const id = await unknownRefund("said", { after: "return context.steps.refund.id;" });
  const seen = await seenOf(id);
  assert.deepEqual(
    [seen.waiting?.cause, seen.waiting?.operations, seen.unresolvedEffects],
    ["needs_resolution", ["refund:1:1"], ["refund:1:1"]],
  );
  const [operation] = seen.operations.slice(-1);
  assert.deepEqual([operation?.outcome, operation?.told, operation?.tries], ["unknown", false, 1]);
  const listed = await woml(folder, ["runs", "--status", "needs_resolution", "-o", "json"]);
  assert.ok(listed.json().items.some((run: { id: string }) => run.id === id));
  assert.match((await woml(folder, ["runs", "operations", id])).stdout, /runs resolve run_\S+ refund:1:1 --head \d+ --retry/);

  const resolve = (...args: string[]) => woml(folder, ["runs", "resolve", id, "refund:1:1", ...args]);
  const wrong = await resolve("--succeeded", '{"id":"re_1"}');
  assert.deepEqual([wrong.code, wrong.stderr.split(":")[0]], [1, "WOML_RESOLUTION_RESULT_INVALID"]);
  for (const head of [3, seen.head + 5]) assert.match((await resolve("--retry", "--head", `${head}`)).stderr, /^WOML_RESOLUTION_STALE: /);
  const other = await newTenant(platform, "somebody else");
  const input = { run: id, operation: "refund:1:1", expectedHead: seen.head, outcome: "RETRY" };
  assert.equal(await codeOf(input, other.key), "WOML_RUN_NOT_FOUND");
  for (const [operation, code] of Object.entries({
    "charge:1:1": "WOML_OPERATION_NOT_UNKNOWN",
    "refund:1:2": "WOML_OPERATION_NOT_FOUND",
    "refund:1": "WOML_OPERATION_NOT_UNKNOWN",
    "nobody:1:1": "WOML_OPERATION_NOT_FOUND",
    refund: "WOML_ID_INVALID",
  }))
    assert.equal(await codeOf({ ...input, operation }), code, operation);
  const result = { id: "re_9", status: "succeeded", amount: 100, currency: "EUR", charge: "ch_1" };
  const said = await resolve("--succeeded", JSON.stringify(result), "--message", "seen in the books", "--head", String(seen.head));
  assert.deepEqual([said.code, said.stdout], [0, `${id}  refund:1:1  succeeded\n`], said.stderr);
  const run = await until(id, "SUCCEEDED");
  assert.equal(run.result, "re_9");
  const after = await seenOf(id);
  assert.deepEqual([after.unresolvedEffects, after.waiting], [[], null]);
  assert.match(after.operations.at(-1)?.evidence ?? "", /person|key/i);
  assert.equal(await codeOf({ ...input, expectedHead: after.head }), "WOML_RUN_ALREADY_TERMINAL");
  const audit = field<{ edges: readonly { node: { action: string; subject: string; detail: object } }[] }>(
    await platform.ask("{ audit(first: 10) { edges { node { action subject detail } } } }"),
    "audit",
  );
  const [entry] = audit.edges.filter(({ node }) => node.action === "run.resolve" && node.subject.includes(id));
  assert.match(JSON.stringify(entry), /seen in the books/);
});

test("failed by a person's word is thrown in the script, as a known failure; performed again is one effect more, and no blind one", async () => {
  const failed = await unknownRefund("failed");
  assert.equal((await woml(folder, ["runs", "resolve", failed, "refund:1:1", "--failed", "nothing arrived"])).code, 0);
  const run = await until(failed, "FAILED");
  assert.match(run.failure?.message ?? "", /nothing arrived/);

  const before = refundsOf();
  const again = await unknownRefund("again");
  assert.equal(refundsOf(), before + 1);
  await sleep(1_500);
  assert.equal(refundsOf(), before + 1);
  payments.inject({ kind: "lose-request", on: "refund" });
  const head = (await seenOf(again)).head;
  assert.equal((await woml(folder, ["runs", "resolve", again, "refund:1:1", "--retry"])).code, 0);
  await runUntil(platform, again, ({ status, events }) => status === "NEEDS_RESOLUTION" && events.edges.length > head);
  assert.deepEqual([refundsOf(), (await seenOf(again)).operations.at(-1)?.tries], [before + 1, 2]);
  assert.equal((await woml(folder, ["runs", "resolve", again, "refund:1:1", "--retry"])).code, 0);
  await until(again, "SUCCEEDED");
  const [operation] = (await seenOf(again)).operations.slice(-1);
  assert.deepEqual([refundsOf(), operation?.tries, operation?.by, operation?.outcome], [before + 2, 3, "person", "succeeded"]);
});

test("a charge that may still be found is not performed again yet, whoever says so", async () => {
  payments.inject({ kind: "lose-answer", on: "charge" });
  payments.inject({ kind: "cannot-tell", on: "status", times: 10 });
  await publish(platform, workflow("early", CHARGE));
  const id = await start(platform, { workflow: "early" });
  await until(id, "NEEDS_RESOLUTION");
  const early = await woml(folder, ["runs", "resolve", id, "charge:1:1", "--retry"]);
  assert.deepEqual([early.code, early.stderr.split(":")[0]], [1, "WOML_RESOLUTION_TOO_EARLY"]);
  const { errors } = await platform.ask(RESOLVE, {
    input: { run: id, operation: "charge:1:1", expectedHead: (await seenOf(id)).head, outcome: "RETRY" },
  });
  const { retryAfterMs } = (errors?.[0]?.extensions ?? { retryAfterMs: 0 }) as { retryAfterMs: number };
  assert.ok(retryAfterMs > 30_000 && retryAfterMs <= 60_000, String(retryAfterMs));
  assert.equal((await woml(folder, ["runs", "cancel", id])).code, 0);
  await until(id, "CANCELLED");
});

test("cancelled while nobody knows: the run ends, what is unknown stays on its list, and nobody is asked any more", async () => {
  const id = await unknownRefund("cancelled");
  assert.equal((await woml(folder, ["runs", "cancel", id])).code, 0);
  await until(id, "CANCELLED");
  const { unresolvedEffects, waiting, head, operations } = await seenOf(id);
  assert.deepEqual([unresolvedEffects, waiting, operations.at(-1)?.outcome], [["refund:1:1"], null, "unknown"]);
  assert.equal(await codeOf({ run: id, operation: "refund:1:1", expectedHead: head, outcome: "FAILED" }), "WOML_RUN_ALREADY_TERMINAL");
  assert.equal((await woml(folder, ["verify"])).code, 0);
});

test("a tenant that chose FAIL has its scripts told: ambiguous, never tried again; wrapped or caught it stays so", async () => {
  const SET = "mutation ($input: SetOnAmbiguousInput!) { setOnAmbiguous(input: $input) { onAmbiguous } }";
  const set = async (onAmbiguous: string) => field(await platform.ask(SET, { input: { onAmbiguous } }), "setOnAmbiguous");
  await set("FAIL");
  try {
    const before = refundsOf();
    const refund = `services.payments.refund(${REFUND}, { name: "back" })`;
    const ends = {
      thrown: `return await ${refund};`,
      wrapped: `try { return await ${refund}; } catch (error) { throw new Error("wrapped", { cause: error }); }`,
      caught: `try { return await ${refund}; } catch (error) { return [error.name, error.ambiguous, error.retryable, error.code]; }`,
    };
    for (const [id, script] of Object.entries(ends)) {
      payments.inject({ kind: "lose-answer", on: "refund" });
      await publish(platform, workflow(`told-${id}`, { ...CHARGE, 'refund retry="3" retry-delay="10ms"': script }));
      const run = await runUntil(platform, await start(platform, { workflow: `told-${id}` }), ended);
      const seen = await seenOf(run.id);
      assert.deepEqual([seen.operations.length, seen.operations.at(-1)?.outcome, seen.operations.at(-1)?.told], [2, "unknown", true], id);
      assert.deepEqual(seen.unresolvedEffects, ["refund:1:1"]);
      assert.equal(run.steps.find((step) => step.id === "refund")?.attempts.length, 1, id);
      if (id !== "caught") assert.equal(run.status, "FAILED", id);
      else assert.deepEqual(run.result, ["WomlServiceError", true, false, "WOML_EGRESS_ANSWER_LOST"]);
      assert.equal(
        await codeOf({ run: run.id, operation: "refund:1:1", expectedHead: seen.head, outcome: "RETRY" }),
        "WOML_RUN_ALREADY_TERMINAL",
      );
    }
    assert.equal(refundsOf(), before + 3);
  } finally {
    await set("ASK");
  }
});

test("a step tried again: what succeeded is answered from the log, and another input under its name ends the attempt", async () => {
  const before = payments.effects().length;
  const script = (
    amount: string,
  ): string => `const charge = await services.payments.charge({ ...${PAYMENT}, amount: ${amount} }, { name: "order" });
    if (attempt.number === 1) throw new Error("later");
    return charge.id;`;
  await publish(platform, workflow("reused", { 'charge retry="2" retry-delay="10ms"': script("500") }));
  const reused = await start(platform, { workflow: "reused" });
  await until(reused, "SUCCEEDED");
  assert.deepEqual(
    (await seenOf(reused)).operations.map(({ id, outcome, reused: from }) => [id, outcome, from]),
    [
      ["charge:1:1", "succeeded", null],
      ["charge:2:1", "succeeded", 1],
    ],
  );
  await publish(platform, workflow("changed", { 'charge retry="3" retry-delay="10ms"': script("500 + attempt.number") }));
  const changed = await runUntil(platform, await start(platform, { workflow: "changed" }), ended);
  assert.deepEqual([changed.status, changed.failure?.code, changed.steps[0]?.attempts.length], ["FAILED", "WOML_OPERATION_CONFLICT", 2]);
  assert.equal(payments.effects().length, before + 2);
});

test("siblings go on while one waits for a person, and two are said one by one", async () => {
  payments.inject({ kind: "lose-answer", on: "refund", times: 2 });
  const refund = (name: string): string => `await services.payments.refund(${REFUND}, { name: "${name}" });`;
  const group = `<parallel id="both"><step id="one"><script>${refund("one")} return 1;</script></step>
    <step id="two"><script>${refund("two")} return 2;</script></step><step id="three"><script>return 3;</script></step></parallel>
    <step id="last"><script>return [context.steps.one, context.steps.two, context.steps.three];</script></step>`;
  await publish(platform, workflow("pair", CHARGE).replace("</steps>", `${group}</steps>`));
  const id = await start(platform, { workflow: "pair" });
  await runUntil(platform, id, ({ status, waiting }) => status === "NEEDS_RESOLUTION" && waiting !== null);
  let seen = await seenOf(id);
  for (const end = Date.now() + 10_000; seen.unresolvedEffects.length < 2 && Date.now() < end; await sleep(50)) seen = await seenOf(id);
  assert.deepEqual(seen.unresolvedEffects.toSorted(), ["one:1:1", "two:1:1"]);
  const result = { id: "re_9", status: "succeeded", amount: 100, currency: "EUR", charge: "ch_1" };
  const said = (operation: string) => ({ run: id, operation, expectedHead: seen.head, outcome: "SUCCEEDED", result });
  assert.equal(await codeOf(said("two:1:1")), undefined);
  const twice = await codeOf(said("two:1:1"));
  assert.ok(twice === undefined || twice === "WOML_OPERATION_NOT_UNKNOWN", String(twice));
  assert.equal(await codeOf({ ...said("one:1:1"), outcome: "FAILED" }), "WOML_RESOLUTION_RESULT_INVALID");
  assert.equal(await codeOf(said("one:1:1")), undefined);
  assert.deepEqual((await until(id, "SUCCEEDED")).result, [1, 2, 3]);
});
