import type { RunSummary } from "@woml/client";
import type { EventView } from "@woml/run";
import { plain } from "../plain.ts";
import { styled } from "../terminal.ts";

type Members = Readonly<Record<string, unknown>>;
type Of = Pick<RunSummary, "id" | "workflow">;

/** By which a run is told from those beside it: its workflow and the last digits of its id. */
export const shortId = ({ id, workflow }: Of): string => `${workflow}#${id.slice(-6)}`;

/** Events in one line each: when, of which run, what happened, to what. The first event of a call names it, the later ones are told by it. */
export class EventLines {
  /** Of runs that go on: what each of their calls is called. */
  readonly #called = new Map<string, Map<string, string>>();

  line(run: Of, { at, type, data }: EventView): string {
    const words = [...subject(data as Members, this.#nameOf(run.id, data as Members)), ...outcome(data as Members)];
    if (/^run_(?:succeeded|failed|cancelled)$/.test(type)) this.#called.delete(run.id);
    const what = [type.replaceAll("_", " "), ...words].join("  ");
    return `${at.slice(11, 23)}  ${shortId(run)}  ${coloured(type, plain(clipped(what)))}`;
  }

  #nameOf(run: string, { node, attempt, call, called, capability, operation }: Members): string | null {
    const named = (called ?? { capability, operation }) as Members;
    if (typeof call !== "number") return null;
    const names = this.#called.get(run) ?? new Map<string, string>();
    this.#called.set(run, names);
    const key = `${String(node)} ${String(attempt)} ${call}`;
    if (typeof named["capability"] === "string") names.set(key, `${named["capability"]}.${String(named["operation"])}`);
    return names.get(key) ?? null;
  }
}

const LONGEST = 400;
const clipped = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

function subject(data: Members, called: string | null): readonly string[] {
  const { node, hook, attempt, index, branch, trigger, arm } = data;
  const tries = typeof attempt === "number" && attempt > 1 ? ` (attempt ${attempt})` : "";
  const place = typeof index === "number" ? `${String(node)}#${index}` : node;
  const where = typeof place === "string" ? `${place}${tries}` : typeof hook === "string" ? hook : null;
  const again = typeof data["try"] === "number" && data["try"] > 1 ? `try ${data["try"]}` : null;
  const { id } = (trigger ?? {}) as Members;
  const by = typeof id === "string" ? `by ${id}` : null;
  return [where, branch, called, again, by, arm].filter((word) => typeof word === "string");
}

/** What came of it, where the event says so. */
function outcome(data: Members): readonly string[] {
  const settled = { ...data, ...((data["outcome"] ?? {}) as Members), ...((data["verdict"] ?? {}) as Members) };
  const { status, decision, reason, failure, result, output } = settled;
  const word = [status, decision, reason].filter((one) => typeof one === "string");
  const { code, message } = (failure ?? {}) as Members;
  if (typeof code === "string") return [...word, `${code}: ${String(message)}`];
  const value = result === undefined ? output : result;
  return value === undefined ? word : [...word, JSON.stringify(value)];
}

function coloured(type: EventView["type"], text: string): string {
  if (type === "run_succeeded") return styled("green", text);
  if (/_failed$|_cancelled$|_diverged$/.test(type)) return styled("red", text);
  return /^approval_requested|^attempt_parked|_retry_/.test(type) ? styled("yellow", text) : text;
}
