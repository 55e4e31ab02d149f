import type { Outcome } from "./frames.ts";
import type { Job } from "./job.ts";
import { placedStack } from "./stack.ts";

/** Outcomes that are not a worker's to give. */
const FORGED: ReadonlySet<string> = new Set(["worker_crashed", "overloaded", "host_unavailable", "cancelled"]);
/** In JSON text such a character stands only as an escape. */
const SUSPECT = /\\u(?:0000|[dD][89abAB])/;

/** A worker's word on an invocation, made safe to store; undefined when no honest worker says that. */
export function believed(said: Outcome, job: Job, pid: number): Outcome | undefined {
  if (FORGED.has(said.outcome) || said.retryAfterMs !== undefined) return undefined;
  if (said.outcome === "waiting" && job.work.parkAfterMs === undefined) return undefined;
  if (said.outcome === "diverged" && job.work.journal === undefined) return undefined;
  if ((said.outcome === "ok") !== (said.result !== undefined)) return undefined;
  if (said.result !== undefined && !isResult(said.result, job.work.limits.resultBytes)) return undefined;
  const { failure, detail } = said;
  return {
    ...said,
    workerPid: pid,
    ...(detail !== undefined && { detail: storable(detail) }),
    ...(failure !== undefined && {
      failure: {
        name: storable(failure.name),
        message: storable(failure.message),
        stack: storable(placedStack(failure.stack, job.work.script)),
        ...(failure.call !== undefined && { call: failure.call }),
      },
    }),
  };
}

/** PostgreSQL keeps neither U+0000 nor half a surrogate pair. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}

function isResult(text: string, maxBytes: number): boolean {
  if (Buffer.byteLength(text) > maxBytes || !text.isWellFormed()) return false;
  try {
    const value: unknown = JSON.parse(text);
    return !SUSPECT.test(text) || isSound(value);
  } catch {
    return false;
  }
}
function isSound(root: unknown): boolean {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") {
      if (!value.isWellFormed() || value.includes("\u0000")) return false;
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) left.push(key, inner);
    }
  }
  return true;
}
