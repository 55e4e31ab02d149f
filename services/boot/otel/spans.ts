import { type Context, type Link, ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Span, SpanOptions } from "../telemetry.ts";
import { traceParts, traceparentOf } from "../trace.ts";
import { exported, failureOf, short } from "./attributes.ts";

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const LINKS = 8;
/** Full, it drops: a collector that is slow or away costs spans, never memory or time of the work. */
const QUEUE = { maxQueueSize: 4_096, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 } as const;

export interface Spans {
  span(name: string, options?: SpanOptions): Span;
  close(): Promise<void>;
}

/** Spans are handed around as values: there is no "current" one, so that none gets under what another run does in between. */
export function openSpans(resource: Resource, exporter: SpanExporter, exportTimeoutMillis: number): Spans {
  const provider = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis, ...QUEUE })],
  });
  const tracer = provider.getTracer("woml");
  return {
    span: (name, options = {}) => {
      const span = tracer.startSpan(
        String(short(name)),
        {
          kind: KINDS[options.kind ?? "internal"],
          attributes: exported(options.attributes),
          links: linksOf(options.links ?? []),
          ...(options.startedAt === undefined ? {} : { startTime: new Date(options.startedAt) }),
        },
        contextOf(options.parent),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      let isEnded = false;
      return {
        traceparent: traceparentOf({ trace: traceId, span: spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }),
        set: (attributes) => {
          if (!isEnded) span.setAttributes(exported(attributes));
        },
        end: (failure) => {
          if (isEnded) return;
          isEnded = true;
          if (failure !== undefined) {
            const code = failureOf(failure);
            span.setAttribute("error.type", code).setStatus({ code: SpanStatusCode.ERROR, message: code });
          }
          span.end();
        },
      };
    },
    close: () => provider.shutdown(),
  };
}

function contextOf(traceparent: string | null | undefined): Context {
  const parent = remote(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

function linksOf(traceparents: readonly string[]): Link[] {
  return traceparents.slice(0, LINKS).flatMap((traceparent) => {
    const context = remote(traceparent);
    return context === null ? [] : [{ context }];
  });
}

function remote(traceparent: string | null | undefined): SpanContext | null {
  const parts = traceParts(traceparent);
  if (parts === null) return null;
  const traceFlags = parts.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId: parts.trace, spanId: parts.span, traceFlags, isRemote: true };
}
