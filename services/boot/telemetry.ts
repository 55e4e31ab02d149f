/** What a span or a measurement is about. Never a payload, a secret, a key or a URL's query: names, ids, counts, words of a closed set. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** One piece of work that this process does now. It ends with the piece: no span waits for a run, and none outlives an attempt. */
export interface Span {
  /** W3C `traceparent` of this span: what is kept in events and carried in frames; null where nothing is traced. */
  readonly traceparent: string | null;
  set(attributes: Attributes): void;
  /** `failure` is a code, never a message. A second end is ignored. */
  end(failure?: string): void;
}
export interface SpanOptions {
  /** The span this one follows from, also one of another process or of an engine that is dead by now; absent or null begins a trace. */
  readonly parent?: string | null | undefined;
  /** Spans that led here without being its parent: the execution of an attempt before a restart. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
  /** `server` took a request, `client` waits for another process, `internal` is neither (default). */
  readonly kind?: "server" | "client" | "internal";
  /** When it began, epoch ms, where that was earlier than now. */
  readonly startedAt?: number;
}

/** Names of metrics are those of METRICS and no other, so that docs, alerts and dashboards have one list. */
export interface Telemetry {
  span(name: string, options?: SpanOptions): Span;
  count(metric: MetricName, by?: number, attributes?: Attributes): void;
  /** A duration in milliseconds, a size, a number of things. */
  observe(metric: MetricName, value: number, attributes?: Attributes): void;
  /** Asked at each collection; one answer a metric and process. */
  gauge(metric: MetricName, read: () => number): void;
  /** The text of `/metrics`, Prometheus exposition format. */
  exposition(): Promise<string>;
  /** Sends what is still here, within two seconds. */
  close(): Promise<void>;
}

/** Every metric of the platform: its kind, what it says with its unit, and its labels: all of them, so that none has more series than is meant. */
export const METRICS = {
  woml_inbox_age_ms: {
    kind: "gauge",
    by: [],
    says: "age of the oldest request that no engine has taken, in ms, by this engine's last look",
  },
  woml_admission_wait_ms: { kind: "histogram", by: ["tenant"], says: "from a start's acceptance to its admission, in ms" },
  woml_append_batch_runs: { kind: "histogram", by: [], says: "runs in one append statement" },
  woml_append_ms: { kind: "histogram", by: [], says: "how long one append statement took, in ms" },
  woml_step_ms: { kind: "histogram", by: ["outcome"], says: "from an attempt's start to its outcome, in ms, by outcome" },
  woml_operation_ms: {
    kind: "histogram",
    by: ["capability", "outcome"],
    says: "from a dispatch to what was said of it, in ms, by capability and outcome",
  },
  woml_sandbox_outcomes_total: { kind: "counter", by: ["outcome"], says: "executions of scripts by how they ended" },
  woml_runs_driven: { kind: "gauge", by: [], says: "runs in this engine's memory" },
  woml_runs_stuck: { kind: "gauge", by: [], says: "runs of anybody that are held or that nothing moves, by this engine's last look" },
  woml_lease_left_ms: { kind: "gauge", by: [], says: "what is left of this engine's lease, in ms; 0 when it has none" },
  woml_limit_warnings_total: { kind: "counter", by: ["limit"], says: "runs that came near a limit of theirs, events or outputs" },
  woml_doorbell_lost_total: { kind: "counter", by: [], says: "rings that could not be given to the doorbell" },
  woml_requests_total: { kind: "counter", by: ["operation", "outcome"], says: "requests to the API by operation and outcome" },
  woml_request_ms: { kind: "histogram", by: ["operation"], says: "how long a request to the API took, in ms" },
  woml_sandbox_workers: { kind: "gauge", by: [], says: "worker processes of this sandbox" },
  woml_sandbox_queue: { kind: "gauge", by: [], says: "invocations that wait for a worker of this sandbox" },
  woml_plugin_operations: { kind: "gauge", by: [], says: "operations that run on this plugin host" },
} as const satisfies Readonly<
  Record<string, { readonly kind: "counter" | "gauge" | "histogram"; readonly by: readonly string[]; readonly says: string }>
>;
export type MetricName = keyof typeof METRICS;

const SILENT: Span = { traceparent: null, set: () => undefined, end: () => undefined };

/** Traces and counts nothing. */
export const noTelemetry: Telemetry = {
  span: () => SILENT,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => undefined,
  exposition: async () => "",
  close: async () => undefined,
};
