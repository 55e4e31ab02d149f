import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { base64Of } from "../conforms/base64.ts";
import { conforms, type Example, type Provider, type ProviderRequest } from "../conforms.ts";
import { type Call, definePlugin, failure, type HttpResponse, type Json, operation, type Plugin, type Reattached, Type } from "../index.ts";

const API = "https://api.bank.example";
const Input = Type.Object({ amount: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
const Output = Type.Object({ id: Type.String() }, { additionalProperties: false });
type Output = Type.Static<typeof Output>;

/** Keeps keys of /charges, none of /refunds; answers what it knows at /charges/KEY. */
function bank(): Provider {
  const effects: (string | null)[] = [];
  const respond = ({ method, url, headers }: ProviderRequest) => {
    const key = headers["idempotency-key"] ?? null;
    const [, asked] = /\/charges\/(\w+)$/.exec(url) ?? [];
    const at = effects.indexOf(asked ?? key);
    if (method === "GET")
      return asked === undefined ? { status: 200, json: { id: "q" } } : { status: at < 0 ? 404 : 200, json: { id: `c${at}` } };
    if (key !== null && at >= 0) return { status: 200, json: { id: `c${at}` } };
    effects.push(key);
    return { status: 201, json: { id: `c${effects.length - 1}` } };
  };
  return { respond, effects: () => effects.length };
}

async function post(call: Call, path: string, input: Json): Promise<Output> {
  const response = await call.http.request({ method: "POST", url: API + path, json: input, headers: { authorization: { secret: "KEY" } } });
  if (response.status >= 500) throw failure("BROKE", "broke", { ambiguous: true });
  return response.json() as Output;
}
async function find(call: Call): Promise<Reattached<Output>> {
  const response: HttpResponse = await call.http.request({ url: `${API}/charges/${call.key}` });
  return response.status === 200 ? { status: "succeeded", result: response.json() as Output } : { status: "not_found" };
}
const keyed = { effect: "keyed", idempotency: { header: "Idempotency-Key", windowHours: 1 }, input: Input, output: Output } as const;
const charge = operation({ ...keyed, perform: (input, call) => post(call, "/charges", input) });
const sure = operation({ ...charge, effect: "reattachable", status: { pendingMaxMs: 1_000 }, reattach: (_input, call) => find(call) });
const refund = operation({ effect: "unsafe", input: Input, output: Output, perform: (input, call) => post(call, "/refunds", input) });
const quote = operation({
  effect: "pure",
  input: Input,
  output: Output,
  perform: async (_input, call) => (await call.http.request({ url: `${API}/quotes` })).json() as Output,
});
const plugin = (operations: Plugin["operations"]): Plugin =>
  definePlugin({
    id: "bank.test",
    version: "1.0.0",
    publisher: "Bank",
    permissions: {
      network: [{ host: "api.bank.example", ports: [443], methods: ["GET", "POST"], reason: "its API" }],
      secrets: [{ name: "KEY", reason: "signs in" }],
    },
    operations,
  });
const example = (name: string): Example => ({ operation: name, input: { amount: 5 }, refused: [{ amount: 0 }, {}, null] });
const complaintsOf = async (operations: Plugin["operations"]): Promise<readonly string[]> => {
  // Beside a write, so that the manifest may name POST.
  const checks = await conforms(plugin({ ...operations, refund }), {
    examples: [...Object.keys(operations), "refund"].map(example),
    provider: bank,
  });
  return checks.filter(({ message }) => message !== "").map(({ name, message }) => `${name}: ${message}`);
};

test("a plugin that is what it says has every check empty, of each class", async () => {
  assert.deepEqual(await complaintsOf({ quote, charge, sure }), []);
  const checks = await conforms(plugin({ quote, charge, sure, refund }), {
    examples: ["quote", "charge", "sure", "refund"].map(example),
    provider: bank,
  });
  assert.equal(checks.length, 2 + 3 + 5 + 6 + 4);
});

test("an operation without an example is named", async () => {
  const checks = await conforms(plugin({ quote, refund }), { examples: [example("refund")], provider: bank });
  assert.deepEqual(checks.find(({ message }) => message !== "")?.message, "none of quote");
});

const liars: Readonly<Record<string, readonly [Plugin["operations"][string], RegExp]>> = {
  "keyed by a header nobody reads": [{ ...charge, idempotency: { header: "X-Key", windowHours: 1 } }, /is keyed.*effects, not 1/],
  "a loss made good by asking again": [
    operation({ ...refund, perform: (input, call) => post(call, "/refunds", input).catch(() => post(call, "/refunds", input)) }),
    /2 effects|lost answer/,
  ],
  "a loss called a no": [
    operation({
      ...refund,
      perform: (input, call) =>
        post(call, "/refunds", input).catch(() => {
          throw failure("LOST", "lost");
        }),
    }),
    /lost answer.*not ambiguous/,
  ],
  "a loss called a success": [
    operation({ ...refund, perform: (input, call) => post(call, "/refunds", input).catch(() => ({ id: "?" })) }),
    /answered although/,
  ],
  "a 500 taken for an answer": [
    operation({
      ...refund,
      perform: async (input, call) => {
        const response = await call.http.request({ method: "POST", url: `${API}/refunds`, json: input });
        return { id: String(response.status) };
      },
    }),
    /answered although the provider answered 500/,
  ],
  "a reattach that always finds": [{ ...sure, reattach: () => ({ status: "succeeded", result: { id: "c0" } }) }, /never done/],
  "a reattach that finds nothing": [{ ...sure, reattach: () => ({ status: "not_found" }) }, /what was done is/],
  "a reattach that performs": [
    {
      ...sure,
      reattach: async (_input: unknown, call: Call) => ({ status: "succeeded", result: await post(call, "/charges", { amount: 5 }) }),
    },
    /POST may have an effect|what was done/,
  ],
  "a pure operation that writes": [
    operation({ ...quote, perform: (input, call) => post(call, "/refunds", input) }),
    /POST may have an effect/,
  ],
  "a pure operation that changes": [operation({ ...quote, perform: (_input, call) => ({ id: call.key }) }), /twice the same/],
  "a host that is not declared": [
    operation({ ...quote, perform: async (_input, call) => (await call.http.request({ url: "https://evil.example/" })).json() as Output }),
    /not declared/,
  ],
  "a port that is not declared": [
    operation({
      ...quote,
      perform: async (_input, call) => (await call.http.request({ url: "http://api.bank.example/" })).json() as Output,
    }),
    /:80 is not declared/,
  ],
  "a secret that is not declared": [
    operation({
      ...quote,
      perform: async (_input, call) =>
        (await call.http.request({ url: `${API}/quotes`, headers: { a: { secret: "OTHER" } } })).json() as Output,
    }),
    /OTHER is not declared/,
  ],
  "a result that is none": [operation({ ...quote, perform: () => ({ id: 5 }) as never }), /must be string/],
  "an input taken that should not be": [operation({ ...quote, input: Type.Object({}) as never }), /it takes/],
};
for (const [name, [one, expected]] of Object.entries(liars)) {
  test(`found: ${name}`, async () => assert.match((await complaintsOf({ one })).join("\n"), expected));
}

test("property: base64 is that of the UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => assert.equal(base64Of(text), Buffer.from(text.toWellFormed()).toString("base64"))),
  );
});
