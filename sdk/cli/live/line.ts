import type { RunSummary } from "@woml/client";
import type { EventView } from "@woml/run";
import { plain } from "../plain.ts";
import { styled } from "../terminal.ts";

type Members = Readonly<Record<string, unknown>>;

/** By which a run is told from those beside it: its workflow and the last digits of its id. */
export const shortId = ({ id, workflow }: Pick<RunSummary, "id" | "workflow">): string => `${workflow}#${id.slice(-6)}`;

/** One event in one line: when, of which run, what happened, to what. */
export function eventLine(run: Pick<RunSummary, "id" | "workflow">, { at, type, data }: EventView): string {
  const words = [...subject(data as Members), ...outcome(data as Members)];
  const what = [type.replaceAll("_", " "), ...words].join("  ");
  return `${at.slice(11, 23)}  ${shortId(run)}  ${coloured(type, plain(clipped(what)))}`;
}

const LONGEST = 400;
const clipped = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

function subject(data: Members): readonly string[] {
  const { node, attempt, capability, operation, trigger, event, arm } = data;
  const tries = typeof attempt === "number" && attempt > 1 ? ` (attempt ${attempt})` : "";
  const where = typeof node === "string" ? `${node}${tries}` : typeof event === "string" ? event : null;
  const called = typeof capability === "string" ? `${capability}.${String(operation)}` : null;
  const { id } = (trigger ?? {}) as Members;
  const by = typeof id === "string" ? `by ${id}` : null;
  return [where, called, by, typeof arm === "string" ? arm : null].filter((word) => word !== null);
}

/** What came of it, where the event says so. */
function outcome({ failure, result, output }: Members): readonly string[] {
  const { code, message } = (failure ?? {}) as Members;
  if (typeof code === "string") return [`${code}: ${String(message)}`];
  const value = result === undefined ? output : result;
  return value === undefined ? [] : [JSON.stringify(value)];
}

function coloured(type: EventView["type"], text: string): string {
  if (type === "run_succeeded") return styled("green", text);
  if (/_failed$|_cancelled$|_diverged$/.test(type)) return styled("red", text);
  return /^approval_requested|^attempt_parked|_retry_/.test(type) ? styled("yellow", text) : text;
}
