// Spans of what this process waits for just now: an execution of a script, a question to a plugin host. What waits for a person, a timer or a
// backoff has none, and a run has none of its own: its spans are found by the trace that its first event keeps.
import type { Span, Telemetry } from "@woml/boot";
import type { OperationState, RunKey, RunState } from "@woml/run";
import type { ScriptOutcome } from "@woml/sandbox";
import type { Flight } from "../flights.ts";

type World = { readonly telemetry: Telemetry };

/** Outcomes of an execution that are no failure: it goes on later, or nobody wanted it any more. */
const ORDERLY: ReadonlySet<string> = new Set(["ok", "waiting", "cancelled", "overloaded"]);

/** One execution: a resumed attempt has several. */
export interface Execution {
  readonly trace: string | null;
  over(outcome: ScriptOutcome["outcome"] | "let_go"): void;
}

export function traceExecution({ telemetry }: World, key: RunKey, state: RunState, { node, attempt, resumed }: Flight): Execution {
  const parent = runTrace(state);
  const { host = 0, worker = 0 } = state.steps.get(node)?.resumes ?? {};
  const span: Span = telemetry.span("attempt", {
    ...{ parent, kind: "client", attributes: { ...whose(key), node, attempt, resumed, lost: host + worker } },
    // Said besides, where it follows from an execution that somebody else may have begun.
    links: resumed > 0 && parent !== null ? [parent] : [],
  });
  return {
    trace: span.traceparent,
    over: (outcome) => {
      telemetry.count("woml_sandbox_outcomes_total", 1, { outcome });
      span.set({ outcome });
      span.end(outcome === "let_go" || ORDERLY.has(outcome) ? undefined : "failed");
    },
  };
}

export interface Question {
  readonly key: RunKey;
  readonly operation: OperationState;
  /** What it follows from: the execution that called it while that lasts, else the run. */
  readonly trace?: () => string | null;
}

/** Sends in the very turn in which it is called. */
export async function traced<A extends { readonly status: string } | null>(
  { telemetry }: World,
  { key, operation, trace }: Question,
  asked: "perform" | "attach" | "reattach",
  send: (trace: { readonly trace?: string }) => Promise<A>,
): Promise<A> {
  const { node, attempt, call, try: number, called, host } = operation;
  const parent = trace?.() ?? null;
  const span = telemetry.span(`operation ${asked}`, {
    ...{ parent, kind: "client" },
    attributes: {
      ...{ ...whose(key), node, attempt, call, try: number, asked, capability: operation.capability, operation: operation.operation },
      ...(called === null ? {} : { release: called.release, effect: called.effect.class }),
      ...(host ? { host } : {}),
    },
  });
  const followed = span.traceparent ?? parent;
  try {
    const answer = await send(followed === null ? {} : { trace: followed });
    span.set({ outcome: answer?.status ?? "not_known" });
    span.end(failureOf(answer));
    return answer;
  } catch (error) {
    span.end("failed");
    throw error;
  }
}

function failureOf(answer: { readonly status: string } | null): string | undefined {
  if (answer === null || !FAILING.has(answer.status)) return undefined;
  return "code" in answer && typeof answer.code === "string" ? answer.code : "failed";
}
const FAILING: ReadonlySet<string> = new Set(["failed", "ambiguous", "refused", "gone", "out_of_reach", "unknown"]);

export function runTrace({ admitted }: RunState): string | null {
  return admitted?.trace ?? null;
}

function whose({ tenant, run }: RunKey): { readonly tenant: string; readonly run: string } {
  return { tenant, run };
}
