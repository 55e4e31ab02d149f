import type { Counter, Histogram, Meter } from "@opentelemetry/api";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import type { Resource } from "@opentelemetry/resources";
import { AggregationType, type IMetricReader, MeterProvider, MetricReader, type ViewOptions } from "@opentelemetry/sdk-metrics";
import { METRICS, type MetricName, type Telemetry } from "../telemetry.ts";
import { labelled } from "./attributes.ts";

/** Whatever callers do, a metric has no more series than this; what goes beyond is counted as one. */
const SERIES = 500;
const BUCKETS = {
  ms: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000],
  count: [1, 2, 4, 8, 16, 32, 64, 128, 256],
} as const;
const NAMES = Object.keys(METRICS) as MetricName[];

export type Meters = Pick<Telemetry, "count" | "observe" | "gauge" | "exposition" | "close">;

/** Read when it is asked, by whoever scrapes. */
class Scraped extends MetricReader {
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
}

/** `others`: readers that send by themselves. */
export function openMeters(resource: Resource, others: readonly IMetricReader[]): Meters {
  const scraped = new Scraped();
  const provider = new MeterProvider({ resource, views: NAMES.map(viewOf), readers: [scraped, ...others] });
  const meter = provider.getMeter("woml");
  const reads = new Map<MetricName, () => number>();
  const { counters, histograms } = instruments(meter, reads);
  // Names are ours and their units in them: neither scope nor target says more.
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return {
    count: (metric, by = 1, attributes) => counters.get(metric)?.add(by, labelled(METRICS[metric].by, attributes)),
    observe: (metric, value, attributes) => {
      if (Number.isFinite(value)) histograms.get(metric)?.record(Math.max(0, value), labelled(METRICS[metric].by, attributes));
    },
    gauge: (metric, read) => void reads.set(metric, read),
    exposition: async () => serializer.serialize((await scraped.collect()).resourceMetrics),
    close: () => provider.shutdown(),
  };
}

interface Instruments {
  readonly counters: ReadonlyMap<MetricName, Counter>;
  readonly histograms: ReadonlyMap<MetricName, Histogram>;
}

function instruments(meter: Meter, reads: ReadonlyMap<MetricName, () => number>): Instruments {
  const counters = new Map<MetricName, Counter>();
  const histograms = new Map<MetricName, Histogram>();
  for (const name of NAMES) {
    const { kind, says, by } = METRICS[name];
    const options = { description: says };
    if (kind === "histogram") histograms.set(name, meter.createHistogram(name, options));
    else if (kind === "counter") counters.set(name, meter.createCounter(name, options));
    else
      meter.createObservableGauge(name, options).addCallback((result) => {
        const value = answerOf(reads.get(name));
        if (value !== null) result.observe(value);
      });
    // So that an alert finds a counter before what it warns of happens for the first time.
    if (by.length === 0) counters.get(name)?.add(0);
  }
  return { counters, histograms };
}

function answerOf(read: (() => number) | undefined): number | null {
  try {
    const value = read?.();
    return value !== undefined && Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}

function viewOf(name: MetricName): ViewOptions {
  const limits = { instrumentName: name, aggregationCardinalityLimit: SERIES };
  if (METRICS[name].kind !== "histogram") return limits;
  const boundaries = [...BUCKETS[name.endsWith("_ms") ? "ms" : "count"]];
  return { ...limits, aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries, recordMinMax: false } } };
}
