// The only door to OpenTelemetry. Whoever does not import it loads nothing of it.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { Log } from "../log.ts";
import { noTelemetry, type Telemetry } from "../telemetry.ts";
import { type Collector, EXPORT_MS, type Otlp, openCollector } from "./collector.ts";
import { openMeters } from "./meters.ts";
import { openSpans } from "./spans.ts";

export { ATTRIBUTES } from "./attributes.ts";
export type { Otlp } from "./collector.ts";

export interface TelemetryOptions {
  /** `woml-engine` */
  readonly service: string;
  /** Which of its processes; by default a new id. */
  readonly instance?: string;
  /** Without it nothing is traced, and metrics are only to be scraped. */
  readonly otlp?: Otlp | undefined;
  readonly log: Pick<Log, "warn" | "info">;
}

const METRICS_EVERY_MS = 10_000;
const CLOSE_MS = 2_000;
/** Where the collector did not answer before: nobody waits for it. */
const LOST_MS = 100;

/** Throws where the headers are none; never because a collector is not there. */
export function openTelemetry({ service, instance = randomUUID(), otlp, log }: TelemetryOptions): Telemetry {
  const resource = resourceFromAttributes({ "service.name": service, "service.namespace": "woml", "service.instance.id": instance });
  const collector = otlp === undefined ? null : openCollector(otlp, log);
  const meters = openMeters(resource, collector === null ? [] : [readerOf(collector)]);
  const spans = collector === null ? null : openSpans(resource, collector.spans, EXPORT_MS + 1_000);
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    const limit = new AbortController();
    const late = sleep(collector?.isLost ? LOST_MS : CLOSE_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled([meters.close(), spans?.close()]), late]);
    limit.abort();
    collector?.close();
  };
  return {
    ...meters,
    span: spans?.span ?? noTelemetry.span,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function readerOf({ metrics }: Collector): PeriodicExportingMetricReader {
  return new PeriodicExportingMetricReader({
    exporter: metrics,
    exportIntervalMillis: METRICS_EVERY_MS,
    exportTimeoutMillis: EXPORT_MS + 1_000,
  });
}
