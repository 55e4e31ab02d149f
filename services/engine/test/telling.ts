import { type Attributes, noTelemetry, type SpanOptions, type Telemetry } from "@woml/boot";

export interface ToldSpan {
  readonly name: string;
  readonly traceparent: string;
  readonly options: SpanOptions;
  readonly attributes: Attributes;
  readonly ended: readonly (string | null)[];
}
export interface Telling {
  readonly telemetry: Telemetry;
  /** In the order in which they began. */
  readonly spans: ToldSpan[];
  readonly figures: { readonly metric: string; readonly value: number; readonly attributes: Attributes }[];
  /** What the gauges say now. */
  gauge(metric: string): number;
}

/** Writes down what it is told. */
export function telling(): Telling {
  const spans: ToldSpan[] = [];
  const figures: Telling["figures"] = [];
  const gauges = new Map<string, () => number>();
  const figure = (metric: string, value: number, attributes: Attributes = {}): void => void figures.push({ metric, value, attributes });
  const telemetry: Telemetry = {
    ...noTelemetry,
    span: (name, options = {}) => {
      const ended: (string | null)[] = [];
      const attributes = { ...options.attributes };
      const traceparent = `00-${"a".repeat(32)}-${(spans.length + 1).toString(16).padStart(16, "0")}-01`;
      spans.push({ name, traceparent, options, attributes, ended });
      return { traceparent, set: (more) => void Object.assign(attributes, more), end: (failure) => void ended.push(failure ?? null) };
    },
    count: (metric, by = 1, attributes) => figure(metric, by, attributes),
    observe: (metric, value, attributes) => figure(metric, value, attributes),
    gauge: (metric, read) => void gauges.set(metric, read),
  };
  return { telemetry, spans, figures, gauge: (metric) => gauges.get(metric)?.() ?? Number.NaN };
}
