import { Client, type ClientConfig, DatabaseError, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";

/** One session for one purpose: opened when first needed, opened again after it was lost. Its caller asks one thing at a time. */
export class Link {
  readonly #config: ClientConfig;
  #client: Client | null = null;

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** An error that is not PostgreSQL's own answer ends the session: what comes later on it could belong to an earlier question. */
  async ask<R extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<R>> {
    const client = await this.#open();
    try {
      return await client.query<R>(statement);
    } catch (error) {
      if (!(error instanceof DatabaseError)) this.#drop(client);
      throw error;
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #open(): Promise<Client> {
    if (this.#client) return this.#client;
    const client = new Client(this.#config);
    client.on("error", () => this.#drop(client));
    await client.connect();
    this.#client = client;
    return client;
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = null;
    client.end().catch(() => {});
  }
}
