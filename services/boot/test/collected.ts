// A collector on loopback that keeps what it is sent, and answers as it is told.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

interface Sent {
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}
export interface Collected {
  readonly endpoint: string;
  readonly sent: Sent[];
  status: number;
}

export async function collect(t: TestContext, port = 0): Promise<Collected> {
  const collected = { endpoint: "", sent: [] as Sent[], status: 200 };
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      collected.sent.push({ path: request.url ?? "", headers: request.headers, body });
      reply.writeHead(collected.status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  collected.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collected;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
export interface Exported {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** Every span that came, in order. */
export function spansIn({ sent }: Collected): readonly Exported[] {
  const bodies = sent.filter(({ path }) => path.endsWith("/v1/traces")).map(({ body }) => JSON.parse(body));
  return bodies.flatMap(({ resourceSpans }) => resourceSpans.flatMap((r: never) => r["scopeSpans"]).flatMap((s: never) => s["spans"]));
}

export function said(span: Exported): Readonly<Record<string, unknown>> {
  return Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
