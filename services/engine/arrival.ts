import type { Telemetry } from "@woml/boot";
import type { InboxRequest } from "@woml/prisma";

export type Start = InboxRequest & { readonly body: { readonly kind: "start" } };
/** The admission of a run as it is traced: from when this engine has read its start until the log has its first events. */
export interface Arrival {
  /** What every later span of the run follows from; null where nothing is traced. */
  readonly trace: string | null;
  /** With the time of the admission, PostgreSQL's, or null when this engine has let go of it. Only the first call counts. */
  over(admittedAt: number | null): void;
}

export function openArrival(telemetry: Telemetry, { tenant, run, body, createdAt }: Start): Arrival {
  const { workflow, version, trace } = body;
  const span = telemetry.span("admit", { parent: trace, attributes: { tenant, run, workflow, version } });
  let isOver = false;
  return {
    trace: span.traceparent ?? trace ?? null,
    over: (admittedAt) => {
      if (isOver) return;
      isOver = true;
      span.set({ outcome: admittedAt === null ? "let_go" : "admitted" });
      span.end();
      if (admittedAt !== null) telemetry.observe("woml_admission_wait_ms", admittedAt - createdAt, { tenant });
    },
  };
}
