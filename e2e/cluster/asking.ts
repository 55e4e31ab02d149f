// A client as an operator's would be behind a load balancer: it asks the controls in turn, and again where one is gone.
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../support/platform.ts";

/** A request that no control answered within the patience. */
const PATIENCE_MS = 180_000;
const EACH_MS = 15_000;
/** Between two tries, doubling: a crowd that asks without a pause keeps down what is coming up. */
const PAUSE_MS = { first: 50, most: 1_500 } as const;
/** What may be asked again: nothing was done, or an idempotency key says that it was. */
const AGAIN = new Set(["WOML_OVERLOADED", "WOML_DATABASE_UNAVAILABLE", "WOML_DATABASE_INTERRUPTED"]);

export type Ask = (query: string, variables?: object, key?: string) => Promise<Answer>;

export function asking(urls: readonly string[], usual: () => string): Ask {
  let turn = 0;
  let last = "";
  const once = async (query: string, variables: object, key: string): Promise<Answer | null> => {
    const url = urls[turn++ % urls.length] ?? "";
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    try {
      const body = JSON.stringify({ query, variables });
      const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(EACH_MS) });
      const answer = (await response.json()) as Answer;
      const code = answer.errors?.[0]?.extensions?.code ?? "";
      if (!AGAIN.has(code)) return answer;
      last = code;
      return null;
    } catch (error) {
      last = String(error instanceof Error ? (error.cause ?? error) : error);
      return null;
    }
  };
  return async (query, variables = {}, key = usual()) => {
    const until = performance.now() + PATIENCE_MS;
    for (let pauseMs: number = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
      const answer = await once(query, variables, key);
      if (answer !== null) return answer;
      if (performance.now() > until) throw new Error(`no control answered (${last}): ${query.slice(0, 80)}`);
      await sleep(pauseMs);
    }
  };
}
