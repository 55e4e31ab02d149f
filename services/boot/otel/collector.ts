import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { Outage } from "../outage.ts";
import { openAgent } from "./agent.ts";

/** Where spans and metrics go by OTLP over HTTP, as JSON. */
export interface Otlp {
  /** The collector's address, such as `http://collector:4318`; the signal's path is put behind it. */
  readonly endpoint: string;
  /** `name=value` separated by commas, values percent-encoded. */
  readonly headers?: string;
}
export interface Collector {
  readonly spans: SpanExporter;
  readonly metrics: PushMetricExporter;
  /** It did not take what it was sent last. */
  readonly isLost: boolean;
  /** Ends what is on its way. */
  close(): void;
}
type Told = { readonly code: number; readonly error?: Error };

/** One request may take so long, its repeats included. */
export const EXPORT_MS = 5_000;

/** A collector that cannot be reached is worth one line when that begins and one when it ends, for each of the two signals. */
export function openCollector({ endpoint, headers = "" }: Otlp, log: Pick<Log, "warn" | "info">): Collector {
  const agent = openAgent(endpoint);
  const options = (path: string) => ({
    url: `${endpoint.replace(/\/+$/, "")}/v1/${path}`,
    headers: headersOf(headers),
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: 4,
    httpAgentOptions: () => agent,
  });
  const lost = new Set<string>();
  return {
    spans: watched(new OTLPTraceExporter(options("traces")), "spans", { log, lost }),
    metrics: watched(new OTLPMetricExporter(options("metrics")), "metrics", { log, lost }),
    get isLost() {
      return lost.size > 0;
    },
    close: () => agent.destroy(),
  };
}

/** Throws where it is no list of headers. */
export function headersOf(text: string): Record<string, string> {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
      if (name === undefined || value === undefined) throw new Error("OTEL_EXPORTER_OTLP_HEADERS is not name=value separated by commas");
      return [name, decoded(value)];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

interface Exporter<T> {
  export(items: T, told: (result: Told) => void): void;
}

interface Watch {
  readonly log: Pick<Log, "warn" | "info">;
  /** What of ours the collector did not take when it was sent last. */
  readonly lost: Set<string>;
}

/** The very exporter, whose results are looked at on their way. */
function watched<T, E extends Exporter<T>>(exporter: E & Exporter<T>, what: string, { log, lost }: Watch): E {
  const send = exporter.export.bind(exporter);
  const outage = new Outage();
  exporter.export = (items, told) =>
    send(items, (result) => {
      const isTaken = result.code === 0;
      if (isTaken) {
        lost.delete(what);
        outage.works(() => log.info({ what }, "the collector of telemetry takes it again"));
      } else {
        lost.add(what);
        outage.fails(() => log.warn({ what, reason: reasonOf(result.error) }, "the collector of telemetry does not take what it is sent"));
      }
      told(result);
    });
  return exporter;
}

/** ECONNREFUSED or an HTTP status. A message may name the address, and whoever answers may say anything. */
function reasonOf(error: Error | undefined): string {
  return error !== undefined && "code" in error && error.code !== undefined ? String(error.code) : (error?.name ?? "no reason");
}
