// The runs of the trial: what workflows are made of today, payments of every effect class among them.
const USES = `<imports><uses capability="acme.payments" version="^1" as="payments"/></imports>`;
const head = (id: string, uses = ""): string => `<woml>${uses}<workflow id="${id}"><triggers><manual id="go"/></triggers><steps>`;
const TAIL = "</steps></workflow></woml>";
const step = (id: string, script: string, more = ""): string => `<step id="${id}"${more}><script>${script}</script></step>`;

const PAY = "const { customer } = context.payload; const payment = { amount: 500, currency: 'EUR', customer };";
const AGAIN = ` retry="3" retry-backoff="fixed" retry-delay="1s"`;

/** So many of its runs hold a place at once. */
export const LANE = { id: "lane", most: 2 } as const;
/** Started by nobody but its interval. */
export const TICKING = {
  id: "ticking",
  everyMs: 1_000,
  text: `<woml><workflow id="ticking"><triggers><interval id="tick" every="1s"/></triggers><steps>${step("tick", "return context.payload.scheduledAt;")}${TAIL}`,
} as const;

/** Name, how many of a hundred runs, WOML. */
export const MIX: readonly { readonly id: string; readonly share: number; readonly text: string }[] = [
  {
    id: "chain",
    share: 20,
    text: `${head("chain")}${step("a", "return context.payload.n + 1;")}${step("b", "return context.steps.a * 2;")}${step("c", "return { n: context.steps.b };")}${TAIL}`,
  },
  {
    id: LANE.id,
    share: 10,
    text: `${head(LANE.id).replace("<triggers>", `<config concurrency="${LANE.most}"/><triggers>`)}${step("in", "return new Promise((done) => setTimeout(() => done(1), 100));")}${step("shaky", "if (attempt.number === 1) throw new Error('the first time'); return attempt.number;", AGAIN)}${TAIL}`,
  },
  {
    id: "fan",
    share: 15,
    text: `${head("fan")}<parallel id="all">${step("x", "return 1;")}${step("y", "return new Promise((done) => setTimeout(() => done(2), 200));")}${step("z", "return 3;")}</parallel>${step("sum", "return context.steps.x + context.steps.y + context.steps.z;")}${TAIL}`,
  },
  {
    id: "again",
    share: 10,
    text: `${head("again")}${step("shaky", "if (attempt.number === 1) throw new Error('the first time'); return attempt.number;", AGAIN)}${TAIL}`,
  },
  {
    id: "wait",
    share: 10,
    text: `${head("wait")}${step("long", "return new Promise((done) => setTimeout(() => done('waited'), 700));")}${step("after", "return context.steps.long;")}${TAIL}`,
  },
  {
    id: "charge",
    share: 15,
    text: `${head("charge", USES)}${step("quote", "return await services.payments.quote({ amount: 500, currency: 'EUR' });", AGAIN)}${step("pay", `${PAY} return await services.payments.charge(payment, { name: 'charge' });`, AGAIN)}${TAIL}`,
  },
  {
    id: "hold",
    share: 12,
    text: `${head("hold", USES)}${step("hold", `${PAY} return await services.payments.hold(payment);`, AGAIN)}${TAIL}`,
  },
  {
    id: "refund",
    share: 8,
    text: `${head("refund", USES)}${step("pay", `${PAY} return await services.payments.charge(payment, { name: 'charge' });`, AGAIN)}${step("back", "const { id, amount, currency } = context.steps.pay; return await services.payments.refund({ charge: id, amount, currency }, { name: 'refund' });", AGAIN)}${TAIL}`,
  },
];

/** The workflow of the n-th run; the shares are spread evenly, not in blocks. */
export function workflowOf(n: number): string {
  // 37 and 100 have no divisor in common, so that a hundred runs meet every place once.
  let place = (n * 37) % 100;
  for (const { id, share } of MIX) {
    if (place < share) return id;
    place -= share;
  }
  throw new Error("the shares of the mix are not a hundred");
}
