// A provider in a process of its own: `provider.ts LEDGER`. What it has done stands in its ledger file, a line an effect, on the disk before it
// is answered; it alone counts. It prints its port. What it is told about a case (`/plan`) decides what happens to the first request of it.
import { appendFileSync, closeSync, fsyncSync, openSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CaseCount, Plan } from "./plan.ts";

interface Case {
  plan: Plan;
  requests: number;
  statuses: number;
  effects: number;
  held: "before" | "after" | null;
  letGo: () => void;
  /** Its connection breaks. */
  lose: () => void;
  /** When the sender of what was held had gone. */
  goneAt: number;
  /** Of keyed requests: what was answered under each key. */
  readonly keys: Map<string, string>;
  last: string | null;
}

const [ledger = ""] = process.argv.slice(2);
const file = openSync(ledger, "a");
const cases = new Map<string, Case>();
const NOTHING: Plan = {
  ...{ hold: null, lands: false, landsAfterMs: 0, isPending: false, lagMs: 0, saysAfterMs: 0, never: false, forgets: false },
};

function caseOf(name: string): Case {
  const known = cases.get(name);
  if (known !== undefined) return known;
  const made: Case = {
    ...{ plan: NOTHING, requests: 0, statuses: 0, effects: 0, held: null, goneAt: 0, keys: new Map(), last: null },
    letGo: () => undefined,
    lose: () => undefined,
  };
  cases.set(name, made);
  return made;
}

function effect(name: string, of: Case, path: string, key: string): string {
  const before = path === "keyed" && !of.plan.forgets ? of.keys.get(key) : undefined;
  if (before !== undefined) return before;
  of.effects += 1;
  const id = `${path}-${name}-${of.effects}`;
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), case: name, path, key, id })}\n`);
  fsyncSync(file);
  of.keys.set(key, id);
  of.last = id;
  return id;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Resolves with whether whoever asked is still there when it is let go. */
function hold(of: Case, place: "before" | "after", response: ServerResponse): Promise<boolean> {
  of.held = place;
  return new Promise((resolve) => {
    const over = (isThere: boolean): void => {
      of.held = null;
      if (!isThere) of.goneAt = Date.now();
      resolve(isThere);
    };
    of.letGo = () => over(true);
    of.lose = () => void response.destroy();
    response.once("close", () => over(false));
  });
}

async function act(path: string, url: URL, { request, response }: Exchange): Promise<void> {
  const name = url.searchParams.get("case") ?? "";
  const key = String(request.headers["idempotency-key"] ?? url.searchParams.get("key"));
  const of = caseOf(name);
  of.requests += 1;
  const isFirst = of.requests === 1;
  const perform = (): string => (path === "pure" ? `read-${name}` : effect(name, of, path, key));
  if (isFirst && of.plan.hold === "before" && !(await hold(of, "before", response))) {
    if (of.plan.lands) setTimeout(perform, of.plan.landsAfterMs);
    return;
  }
  const id = perform();
  if (isFirst && of.plan.hold === "after" && !(await hold(of, "after", response))) return;
  send(response, 200, { id });
}

/** What it says of an operation: what it was told to say first, then the truth; or nothing, ever. */
function statusOf(of: Case): readonly [number, unknown] {
  of.statuses += 1;
  if (of.plan.never) return [500, {}];
  if (of.plan.isPending && of.statuses === 1) return [200, { status: "pending" }];
  if (Date.now() < of.goneAt + of.plan.lagMs || of.last === null) return [404, {}];
  return [200, { status: "succeeded", result: { id: of.last } }];
}

function counts(): Readonly<Record<string, CaseCount>> {
  return Object.fromEntries(
    [...cases].map(([name, { requests, statuses, effects, held }]) => [name, { requests, statuses, effects, held }]),
  );
}

async function asked(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  const path = url.pathname.slice(1);
  if (path === "status") {
    const of = caseOf(url.searchParams.get("case") ?? "");
    const said = statusOf(of);
    setTimeout(() => send(response, ...said), of.plan.saysAfterMs);
    return;
  }
  if (path === "counts") return send(response, 200, counts());
  if (path === "plan") for (const [name, plan] of Object.entries(JSON.parse(text))) caseOf(name).plan = { ...NOTHING, ...(plan as Plan) };
  else if (path === "let-go") for (const name of JSON.parse(text)) caseOf(name).letGo();
  else if (path === "lose") for (const name of JSON.parse(text)) caseOf(name).lose();
  else return act(path, url, { request, response });
  send(response, 200, {});
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const server = createServer((request, response) => void asked(request, response).catch(() => response.destroy()));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`));
// It ends with whoever started it.
process.stdin.on("end", () => {
  closeSync(file);
  process.exit();
});
process.stdin.resume();
