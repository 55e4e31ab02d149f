import { type Call, definePlugin, failure, type HttpResponse, type Json, operation, type Reattached, Type } from "@woml/capability";

const API = "http://127.0.0.1:4010";
const closed = { additionalProperties: false };

const Amount = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const Currency = Type.String({ pattern: "^[A-Z]{3}$", maxLength: 3 });
const Id = Type.String({ minLength: 1, maxLength: 64 });
const Quote = Type.Object({ amount: Amount, fee: Type.Integer(), total: Amount, currency: Currency }, closed);
const Payment = Type.Object({ id: Id, status: Type.Literal("succeeded"), amount: Amount, currency: Currency, customer: Id }, closed);
type Payment = Type.Static<typeof Payment>;
const PaymentInput = Type.Object({ amount: Amount, currency: Currency, customer: Id }, closed);
const RefundInput = Type.Object({ charge: Id, amount: Amount, currency: Currency }, closed);
const Refund = Type.Object({ id: Id, status: Type.Literal("succeeded"), amount: Amount, currency: Currency, charge: Id }, closed);

/** Acme de-duplicates by this header for a day. */
const idempotency = { header: "Idempotency-Key", windowHours: 24 };
/**
 * What a later attempt may cure. With sticky failures the list says more: every other failure is one that Acme keeps under the key, so that
 * it speaks for all requests with it. A key of the API that is refused speaks for its own request alone.
 */
const retryable = ["ACME_BUSY", "ACME_UNAUTHORIZED"];

async function ask(call: Call, path: string, json?: unknown): Promise<HttpResponse> {
  const headers = { authorization: { secret: "ACME_API_KEY", format: "Bearer {}" }, accept: "application/json" };
  if (json === undefined) return call.http.request({ url: API + path, headers });
  return call.http.request({ url: API + path, method: "POST", headers, json, redirect: "error" });
}

/** Acme's answer to a request that may have moved money: only 400 to 499 mean that nothing was done. */
async function pay<T>(call: Call, path: string, json: unknown): Promise<T> {
  const response = await ask(call, path, json);
  if (response.status === 200 || response.status === 201) return body<T>(response);
  throw refused(response);
}

function refused(response: HttpResponse): Error {
  const { status } = response;
  if (status === 402) return failure("ACME_CARD_DECLINED", "Acme declined the card.");
  if (status === 401 || status === 403) return failure("ACME_UNAUTHORIZED", "Acme does not take the API key: see the secret ACME_API_KEY.");
  if (status === 429) return failure("ACME_BUSY", "Acme asks to try again later.");
  if (status >= 400 && status <= 499) return failure("ACME_REFUSED", `Acme refused the request with status ${status}.`);
  return failure("ACME_BROKE", `Acme answered with status ${status}; the payment may have been made.`, { ambiguous: true });
}

/** Typed by what Acme documents; the platform holds it against the schema. */
function body<T>(response: HttpResponse): T {
  try {
    return response.json() as T;
  } catch {
    throw failure("ACME_BROKE", "Acme's answer cannot be read; the payment may have been made.", { ambiguous: true });
  }
}

/** What Acme knows of a charge by its key. It only reads. */
async function chargeByKey(call: Call): Promise<Reattached<Payment>> {
  const response = await ask(call, `/charges/by-key/${call.key}`);
  if (response.status === 404) return { status: "not_found" };
  if (response.status !== 200) return { status: "unknown" };
  const found = response.json() as { readonly [member: string]: Json };
  if (found["status"] === "succeeded") return { status: "succeeded", result: found["charge"] as Payment };
  if (found["status"] === "failed") return { status: "failed", code: "ACME_CARD_DECLINED", message: "Acme declined the card." };
  return found["status"] === "pending" ? { status: "pending", askAgainMs: 1_000 } : { status: "unknown" };
}

export default definePlugin({
  id: "acme.payments",
  version: "1.0.0",
  publisher: "Acme Payments Ltd",
  title: "Acme Payments",
  permissions: {
    network: [{ host: "127.0.0.1", ports: [4010], methods: ["GET", "POST"], reason: "Acme's API, here its double on the same machine" }],
    secrets: [{ name: "ACME_API_KEY", reason: "signs requests to Acme; sent in the authorization header only" }],
  },
  operations: {
    quote: operation({
      effect: "pure",
      retryable,
      timeoutMs: 10_000,
      input: Type.Object({ amount: Amount, currency: Currency }, closed),
      output: Quote,
      perform: async ({ amount, currency }, call) => {
        const response = await ask(call, `/quotes?amount=${amount}&currency=${currency}`);
        if (response.status === 200) return response.json() as Type.Static<typeof Quote>;
        if (response.status >= 500) throw failure("ACME_BUSY", `Acme gave no quote: status ${response.status}.`);
        throw refused(response);
      },
    }),
    /** Money moves. Acme knows the key for a day, and can be asked by it for ever. */
    charge: operation({
      effect: "reattachable",
      idempotency,
      status: { conclusiveNotFoundAfterMs: 60_000, pendingMaxMs: 600_000 },
      failures: "sticky",
      retryable,
      input: PaymentInput,
      output: Payment,
      perform: (input, call) => pay<Payment>(call, "/charges", input),
      reattach: (_input, call) => chargeByKey(call),
    }),
    /** Money is set aside. Acme knows the key for a day; it cannot be asked. */
    hold: operation({
      effect: "keyed",
      idempotency,
      failures: "sticky",
      retryable,
      input: PaymentInput,
      output: Payment,
      perform: (input, call) => pay<Payment>(call, "/holds", input),
    }),
    /** Acme's refunds know no key: twice asked is twice paid back. */
    refund: operation({
      effect: "unsafe",
      retryable,
      input: RefundInput,
      output: Refund,
      perform: (input, call) => pay<Type.Static<typeof Refund>>(call, "/refunds", input),
    }),
  },
});
