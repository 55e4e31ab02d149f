// A collector of telemetry on loopback: it takes OTLP over HTTP as JSON, strictly, and keeps what it was sent.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

export interface OtlpSpan {
  readonly service: string;
  /** Of the process. */
  readonly instance: string;
  readonly name: string;
  readonly kind: number;
  readonly trace: string;
  readonly id: string;
  /** "" for one that begins a trace. */
  readonly parent: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
  /** A code, of a span that failed. */
  readonly failure: string | null;
}
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: readonly OtlpSpan[];
  /** Names of the metrics that came, by service. */
  readonly metrics: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every body as it came: for what may stand in none of them. */
  readonly bodies: readonly string[];
  /** What was wrong with a request, in words. */
  readonly faults: readonly string[];
  /** The spans of a trace once they are as `seen` wants them; throws what it last saw after `limitMs`. */
  until(trace: string, seen: (spans: readonly OtlpSpan[]) => boolean, limitMs?: number): Promise<readonly OtlpSpan[]>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: OtlpSpan[] = [];
  const metrics = new Map<string, Set<string>>();
  const bodies: string[] = [];
  const faults: string[] = [];
  const take = (path: string, body: string): void => {
    bodies.push(body);
    if (path === "/v1/traces") spans.push(...spansOf(JSON.parse(body)));
    else if (path === "/v1/metrics") {
      for (const [service, name] of metricsOf(JSON.parse(body))) metrics.set(service, (metrics.get(service) ?? new Set()).add(name));
    } else throw new Error(`nothing is at ${path}`);
  };
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      try {
        if (request.method !== "POST" || request.headers["content-type"] !== "application/json") throw new Error("it is no POST of JSON");
        take(request.url ?? "", body);
        reply.writeHead(200, { "content-type": "application/json" }).end("{}");
      } catch (error) {
        faults.push(String(error));
        reply.writeHead(400).end();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, metrics, bodies, faults },
    until: async (trace, seen, limitMs = 15_000) => {
      for (const end = Date.now() + limitMs; ; await sleep(50)) {
        const found = spans.filter((span) => span.trace === trace);
        if (seen(found)) return found;
        if (Date.now() > end) throw new Error(`not seen in ${limitMs} ms: ${JSON.stringify(found.map(briefly))}`);
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function briefly({ service, name, attributes }: OtlpSpan): string {
  return `${service}: ${name} ${String(attributes["woml.node"] ?? "")}`.trim();
}

type Json = Readonly<Record<string, unknown>>;

/** A list that has to be there. */
function list(of: unknown, name: string): readonly Json[] {
  const found = (of as Json)[name];
  if (!Array.isArray(found)) throw new Error(`${name} is no list`);
  return found;
}
function word(of: Json, name: string, shape: RegExp): string {
  const found = of[name] ?? "";
  if (typeof found !== "string" || !shape.test(found)) throw new Error(`${name} is ${JSON.stringify(found)}`);
  return found;
}

function valuesOf(of: Json): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    list(of, "attributes").map((one) => {
      const [[kind = "", value] = [], ...more] = Object.entries(one["value"] as Json);
      if (!/^(string|bool|int|double)Value$/.test(kind) || more.length > 0) throw new Error(`an attribute is a ${kind}`);
      return [word(one, "key", /./), kind === "intValue" ? Number(value) : value];
    }),
  );
}

function* resourcesOf(body: unknown, kind: "Spans" | "Metrics"): Generator<readonly [Readonly<Record<string, unknown>>, Json]> {
  for (const resource of list(body, `resource${kind}`)) {
    const values = valuesOf(resource["resource"] as Json);
    for (const scope of list(resource, `scope${kind}`)) for (const one of list(scope, kind.toLowerCase())) yield [values, one];
  }
}

function spansOf(body: unknown): readonly OtlpSpan[] {
  return [...resourcesOf(body, "Spans")].map(([resource, span]) => {
    const status = (span["status"] ?? {}) as Json;
    const at = (name: string): number => Number(BigInt(word(span, name, /^\d+$/)) / 1_000n) / 1_000;
    return {
      service: String(resource["service.name"]),
      instance: String(resource["service.instance.id"]),
      name: word(span, "name", /./),
      kind: Number(span["kind"]),
      trace: word(span, "traceId", /^[0-9a-f]{32}$/),
      id: word(span, "spanId", /^[0-9a-f]{16}$/),
      parent: word(span, "parentSpanId", /^([0-9a-f]{16})?$/),
      startedAt: at("startTimeUnixNano"),
      endedAt: at("endTimeUnixNano"),
      attributes: valuesOf(span),
      links: list(span, "links").map((link) => word(link, "traceId", /^[0-9a-f]{32}$/)),
      failure: status["code"] === 2 ? String(status["message"]) : null,
    };
  });
}

function metricsOf(body: unknown): readonly (readonly [string, string])[] {
  return [...resourcesOf(body, "Metrics")].map(([resource, metric]) => [String(resource["service.name"]), word(metric, "name", /^woml_/)]);
}
