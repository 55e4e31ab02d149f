import { type Answer, type Books, type Order, refusal } from "./books.ts";
import type { Target } from "./fault.ts";
import type { Entry } from "./ledger.ts";

/** A request that has come in whole. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly key: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}
export interface Route {
  readonly target: Target;
  readonly act: () => Answer;
}

export function route(books: Books, asked: Asked): Route | null {
  const { method, url, body } = asked;
  const [, status] = /^\/charges\/by-key\/([^/]+)$/.exec(url.pathname) ?? [];
  if (method === "GET" && status !== undefined) return { target: "status", act: () => books.status(decodeURIComponent(status)) };
  if (method === "GET" && url.pathname === "/quotes") return { target: "quote", act: () => quote(url.searchParams) };
  const kind = method === "POST" ? KINDS.get(url.pathname) : undefined;
  if (!kind) return null;
  // Refunds know no key: twice asked is twice paid back.
  const order = orderOf(kind, kind === "refund" ? null : asked.key, body);
  return { target: kind, act: () => (order ? books.perform(order) : refusal(400, "bad_request")) };
}

const KINDS: ReadonlyMap<string, Entry["kind"]> = new Map([
  ["/charges", "charge"],
  ["/holds", "hold"],
  ["/refunds", "refund"],
]);

function orderOf(kind: Entry["kind"], key: string | null, body: Asked["body"]): Order | null {
  const { amount, currency, customer, charge } = body;
  const subject = kind === "refund" ? charge : customer;
  if (!Number.isInteger(amount) || Number(amount) < 1 || typeof currency !== "string" || typeof subject !== "string") return null;
  return { kind, key, amount: Number(amount), currency, subject };
}

function quote(query: URLSearchParams): Answer {
  const amount = Number(query.get("amount"));
  const currency = query.get("currency");
  if (!Number.isInteger(amount) || amount < 1 || currency === null) return refusal(400, "bad_request");
  const fee = Math.ceil(amount * 0.015) + 25;
  return { status: 200, body: { amount, fee, total: amount + fee, currency } };
}
