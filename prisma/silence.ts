import { Client, type ClientConfig } from "pg";

type Ask = (...asked: unknown[]) => unknown;

/**
 * A session of a pool whose answer does not come within `query_timeout` is ended. A database that is gone without a word (its machine died, its
 * address moved) closes no connection; pg alone would give the session back to the pool, where whatever comes next waits as long again.
 */
export class ImpatientClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const ask = super.query.bind(this) as unknown as Ask;
    const asking: Ask = (...asked) => {
      const answer = ask(...asked);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.#hear(error));
      return answer;
    };
    this.query = asking as unknown as Client["query"];
  }

  #hear(error: unknown): void {
    // While a question is open this breaks the connection; nothing is waited for.
    if (error instanceof Error && error.message === "Query read timeout") this.end().catch(() => undefined);
  }
}
