import { operationId } from "@woml/run";
import { mayPass } from "./hosts.ts";
import { appended, type Known, type Scenario, type Step, spent, WINDOW_MS, type World } from "./world.ts";

/** A request lands, is given up while it may still land, or gets lost. */
export function* requestSteps({ looksAtNoKey }: Scenario, world: World): Generator<Step> {
  const { fly, budget, now, effects } = world;
  for (const [i, flight] of fly.entries()) {
    const { id, key } = flight;
    const others = fly.toSpliced(i, 1);
    const hear = (what: Known) => (world.known[id] === "running" && flight.isHeard ? { ...world.known, [id]: what } : world.known);
    const before = effects[key] ?? [];
    const since = flight.isKeyed ? { ...world.since, [key]: rememberedSince(world, key) } : world.since;
    const isKnown = flight.isKeyed && !looksAtNoKey && before.some(({ at }) => at >= (since[key] ?? now));
    const landed = flight.isPure || isKnown ? effects : { ...effects, [key]: [...before, { at: now, id }] };
    yield [{ ...world, fly: others, effects: landed, since, known: hear("succeeded") }, `provider: ${id} takes effect`];
    if (budget.deny > 0 && flight.isKeyed && !isKnown)
      yield [spent({ ...world, fly: others, since, known: hear("refused") }, "deny"), `provider: refuses ${id}`];
    if (flight.isHeard && budget.timeout > 0) {
      const late = { ...world, fly: fly.with(i, { ...flight, isHeard: false }), known: hear("ambiguous") };
      yield [spent(late, "timeout"), `host: gives up waiting for ${id}`];
    }
    if (budget.refuse > 0) yield [spent({ ...world, fly: others, known: hear("refused") }, "refuse"), `network: ${id} is refused`];
    if (budget.drop > 0) yield [spent({ ...world, fly: others, known: hear("ambiguous") }, "drop"), `network: ${id} is lost`];
  }
  if (world.hosts === null && budget.forget > 0 && Object.keys(world.known).length > 0) {
    const unheard = fly.map((one) => ({ ...one, isHeard: false }));
    yield [spent({ ...world, known: {}, fly: unheard }, "forget"), "host: dies, its requests go on"];
  }
}

/** However often a key comes, it is forgotten a window after it came first; what was refused under it is tried anew. */
function rememberedSince({ since, now }: World, key: string): number {
  const before = since[key];
  return before !== undefined && now < before + WINDOW_MS ? before : now;
}

/** Nothing stays under way for a tenth of a key's window, or past the time after which a provider's "not found" is proof. */
export function* timeSteps({ liesAboutTime }: Scenario, world: World): Generator<Step> {
  const { now, fly, log } = world;
  if (world.isOld) yield [{ ...world, isOld: false }, "time: the old lease runs out"];
  if (world.budget.expire > 0 && fly.length === 0 && !world.hosts?.held.length)
    yield [spent({ ...world, now: now + WINDOW_MS }, "expire"), "time: the key's window passes"];
  if (world.budget.half > 0 && fly.length === 0 && !world.hosts?.held.length)
    yield [spent({ ...world, now: now + WINDOW_MS / 2 }, "half"), "time: half of the key's window passes"];
  for (const [, operation] of log.state.operations.entries()) {
    const { key, doubt, status, runsUntil } = operation;
    if (status === "unknown" && runsUntil !== null && runsUntil > now && mayPass(world, operation, runsUntil))
      yield [{ ...world, now: runsUntil }, "time: nothing performs it any more"];
    if (
      doubt !== null &&
      doubt.askAt > now &&
      (liesAboutTime || !fly.some((one) => one.key === key)) &&
      mayPass(world, operation, doubt.askAt)
    )
      yield [{ ...world, now: doubt.askAt }, "time: its provider is to be asked"];
  }
}

/** A person decides when nothing of the operation is under way: what took effect succeeded, anything else is performed again. */
export function* personSteps({ fence }: Scenario, world: World): Generator<Step> {
  const { owner, log, now, effects } = world;
  const engine = world.engines[owner];
  const { state } = log;
  if (engine.epoch !== world.epoch || engine.isPaused || world.hasLapsed) return;
  if (world.budget.cancel > 0 && state.ended === null && state.stop === null) {
    const [next, label] = appended(world, owner, { kind: "cancel_run", request: "r", now });
    yield [spent(next, "cancel"), label];
  }
  const { unknown, attempt } = state.steps.get("a") ?? { unknown: [], attempt: 1 };
  for (const call of unknown) {
    const key = state.operations.get(operationId("a", attempt, call))?.key ?? "";
    if (fence !== false && world.fly.some((one) => one.key === key)) continue;
    const verdict = (effects[key] ?? []).length > 0 ? ({ status: "succeeded", result: 1 } as const) : ({ status: "retry" } as const);
    const by = { expectedHead: state.head, by: "key", request: "q", now };
    const step = appended(world, owner, { kind: "resolve_outcome", node: "a", attempt, call, verdict, ...by });
    if (step[0].log !== log) yield step;
  }
}
