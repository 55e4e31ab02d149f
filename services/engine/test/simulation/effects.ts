import type { MemoryRun } from "@woml/prisma/memory";
import { foldAll, type OperationState, type RunEvent, type RunEvents, type RunId, remembering } from "@woml/run";
import type { Provider } from "./provider.ts";
import type { Tally } from "./tally.ts";
import { CAPABILITY } from "./wares.ts";

interface World {
  readonly provider: Provider;
  /** How often each purpose may have its effect at one site. */
  readonly times: ReadonlyMap<string, number>;
  readonly tally: Tally;
}

/** How often the operations of a run had their effect, against what its log says of them. */
export function effectFaults(row: MemoryRun, { provider, times, tally }: World): readonly string[] {
  const byPurpose = Map.groupBy(
    operationsOf(row).filter(({ called }) => called?.capability === CAPABILITY),
    idOf,
  );
  const faults = [...provider.effects.keys()]
    .filter((purpose) => purpose.startsWith(`${row.run} `) && !byPurpose.has(purpose.slice(row.run.length + 1)))
    .map((purpose) => `${purpose} had an effect that no log knows of`);
  for (const [id, operations] of byPurpose) {
    const effects = provider.effects.get(`${row.run} ${id}`) ?? 0;
    const most = (times.get(baseOf(id)) ?? 0) * (id.startsWith("@") ? new Set(operations.map(({ node }) => node)).size : 1);
    if (effects > most) faults.push(`${id} had its effect ${effects} times`);
    const own = operations.filter(({ inherited }) => inherited === undefined);
    const succeeded = own.filter(
      ({ status, reused, called }) => status === "succeeded" && reused === null && called?.effect.class !== "pure",
    );
    const isKnown = own.every(({ status }) => status === "succeeded" || status === "failed");
    if (isKnown && effects !== succeeded.length)
      faults.push(`${id} had its effect ${effects} times, and the log says ${own.map(({ status }) => status)}`);
  }
  return [...faults, ...unjustified(row, tally)];
}

/** How often each purpose had its effect in runs together that resume one another with one payload. What observes is of each run anew. */
export function chainFaults(chain: readonly RunId[], { provider, times }: World): readonly string[] {
  const effects = new Map<string, number>();
  for (const run of chain)
    for (const [purpose, count] of provider.effects) {
      const id = purpose.slice(run.length + 1);
      if (purpose.startsWith(`${run} `) && !id.startsWith("@")) effects.set(id, (effects.get(id) ?? 0) + count);
    }
  return [...effects].flatMap(([id, count]) =>
    count > (times.get(baseOf(id)) ?? 0) ? [`${chain.join(" and ")} had the effect of ${id} ${count} times`] : [],
  );
}

/** Also those of iterations that have settled. */
export function operationsOf({ events }: MemoryRun): readonly OperationState[] {
  const { operations } = foldAll(events, remembering);
  return [...operations.entries()].map(([, operation]) => operation).filter(({ called }) => called !== null);
}

/** Without the iteration. What observes does so at several sites. */
const baseOf = (id: string): string => id.replace(/#\d+$/, "");

function idOf({ called }: OperationState): string {
  const input = called?.input;
  return typeof input === "object" && input !== null && "id" in input ? String(input["id"]) : "";
}

type Called = NonNullable<RunEvents["operation_started"]["called"]>;
interface Course {
  readonly called: Called;
  readonly windowFrom: number;
  runsUntil: number;
  /** Tries that nobody was given. */
  unsent: number;
  tries: number;
  asked: boolean;
  byPerson: boolean;
}

/** What is said of what a held run had begun, when it is cancelled: nobody hears of it any more. */
export const HELD = "the run was held when it was cancelled";

/** Outcomes that the log calls unknown where the rules leave something to be done; the rules once more, in their plainest form. */
function unjustified({ events }: MemoryRun, tally: Tally): readonly string[] {
  const courses = new Map<string, Course>();
  const faults: string[] = [];
  const stopped = new Set<string>();
  let isStopping = false;
  for (const event of events) {
    if (event.type === "stop_decided" || event.type === "cancel_requested") isStopping = true;
    if (event.type === "parallel_failing") for (const site of event.data.stopped) stopped.add(site);
    const course = follow(courses, event);
    if (event.type !== "operation_settled" || event.data.outcome.status !== "unknown" || course === undefined || isStopping) continue;
    if (stopped.has(event.data.node) || event.data.evidence === HELD) continue;
    const cause = causeOf(course, event.at);
    if (course.called.effect.class === "unsafe" && event.at < course.runsUntil)
      faults.push(`${event.data.node} call ${event.data.call} is unknown while its host may perform it`);
    if (cause === null) faults.push(`${event.data.node} call ${event.data.call} is unknown without need`);
    else tally.hit(`unknown: ${cause}`);
  }
  return faults;
}

function follow(courses: Map<string, Course>, { type, data, at }: RunEvent): Course | undefined {
  if (type !== "operation_started" && type !== "operation_doubted" && type !== "operation_settled") return undefined;
  const name = `${data.node} ${data.attempt} ${data.call}`;
  const course = courses.get(name);
  if (type === "operation_started" && data.called !== null)
    courses.set(name, {
      called: data.called,
      windowFrom: data.windowFrom ?? at,
      runsUntil: 0,
      unsent: 0,
      tries: 1,
      asked: false,
      byPerson: false,
    });
  else if (type === "operation_started" && course) Object.assign(course, { tries: data.try, asked: false, byPerson: data.by === "person" });
  else if (type === "operation_doubted" && data.reason === "unsent" && course) course.unsent += 1;
  else if (type === "operation_doubted" && course)
    Object.assign(course, { asked: true, runsUntil: Math.max(course.runsUntil, data.runsUntil ?? 0) });
  return course;
}

const LIVE_TRIES = 3;
const ALL_TRIES = 10;

/** Why nobody but a person can say; null: there is no reason. */
function causeOf({ called, windowFrom, runsUntil, tries, unsent, asked, byPerson }: Course, at: number): string | null {
  const { class: kind, windowMs } = called.effect;
  if (kind === "unsafe") return "it is unsafe";
  if (kind === "reattachable") return asked ? "its provider decides nothing" : null;
  if (kind === "pure") return null;
  if (at >= windowFrom + (windowMs ?? 0) * 0.9) return "its window had passed";
  if (runsUntil >= windowFrom + (windowMs ?? 0) * 0.9) return "its host was out of reach for its window";
  if (tries - unsent >= LIVE_TRIES || tries >= ALL_TRIES) return "dispatched too often";
  return byPerson ? "a person had asked for it" : null;
}
