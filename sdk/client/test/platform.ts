import { createServer } from "node:http";
import type { TestContext } from "node:test";

export interface Asked {
  readonly authorization: string | undefined;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}
export interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A platform that answers what it is told, in order, and remembers what it was asked. */
export async function platform(
  t: TestContext,
  ...answers: readonly Told[]
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { status = 200, headers = {}, body } = answers[asked.length] ?? { body: "nothing left to say" };
    asked.push({ authorization: request.headers.authorization, ...JSON.parse(text) });
    response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/graphql`, asked };
}

export const connection = (nodes: readonly unknown[], endCursor: string | null, hasNextPage: boolean): object => ({
  edges: nodes.map((node) => ({ node })),
  pageInfo: { hasNextPage, endCursor },
});
