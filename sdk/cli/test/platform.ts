import { createServer } from "node:http";
import type { TestContext } from "node:test";

export interface Asked {
  readonly field: string;
  readonly variables: { readonly input?: Readonly<Record<string, unknown>> };
}

/** A platform that answers each field with what it is told here, and remembers what it was asked. `place`: how a command finds it. */
export async function platform(
  t: TestContext,
  answers: Readonly<Record<string, unknown>>,
): Promise<{ readonly place: readonly string[]; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { query, variables } = JSON.parse(text);
    const [, field = ""] = /\{\s*(\w+)/.exec(query.replace(/^\w+ \(.*?\) /, "")) ?? [];
    asked.push({ field, variables });
    const answer = answers[field];
    const body =
      answer instanceof Error
        ? { errors: [{ message: answer.message, extensions: { code: answer.name } }] }
        : { data: { [field]: answer } };
    response.writeHead(200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/graphql`;
  return { place: ["--url", url, "--key", "k"], asked };
}

/** What a platform refuses with. */
export function refusal(code: string, message: string): Error {
  const error = new Error(message);
  error.name = code;
  return error;
}
