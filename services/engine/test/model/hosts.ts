import type { OperationState } from "@woml/run";
import { next } from "../../decide/recovery.ts";
import type { Said } from "../../decide.ts";
import {
  ambiguous,
  appended,
  chosen,
  done,
  type Held,
  type Hosts,
  type Id,
  refused,
  reportOf,
  type Scenario,
  type Step,
  spent,
  type World,
  withEngine,
  without,
} from "./world.ts";

/** How long a host that is out of reach may perform something: longer than it takes until what is not found is proof. */
const RUN_MS = 80;

/** As services/engine/perform does with several hosts: to the one that the start names, and to no other. */
export function* spreadSteps(scenario: Scenario, world: World, id: Id, operation: OperationState): Generator<Step> {
  const { hosts } = world;
  if (hosts === null) return;
  const engine = world.engines[id];
  const name = nameOf(operation);
  const host = operation.host ?? "";
  const report = (said: Said, of = world): Step => appended(of, id, reportOf(operation, said, world.now), (own) => without(own, name));
  const isThere = reaches(hosts, id, host);
  if (engine.fresh.includes(name) || host === "") {
    // While none is there it waits.
    if (isThere) yield* handOver(scenario, world, id, operation);
    else if (chosen(world, id) !== "") yield report(unsent);
  } else if (isThere) yield* meet(world, id, operation, report);
  else if (scenario.deniesSending && engine.flying.includes(name)) yield report(unsent);
  else yield* miss(scenario, world, operation, report);
}

function* handOver(scenario: Scenario, world: World, id: Id, operation: OperationState): Generator<Step> {
  const { hosts, budget } = world;
  if (hosts === null) return;
  const engine = world.engines[id];
  const [name, host] = [nameOf(operation), operation.host ?? ""];
  const kind = operation.called?.effect.class ?? "unsafe";
  const held: Held = { id: name, key: operation.key, kind, host, by: id, epoch: engine.epoch, isTaken: false };
  const sent = withEngine(world, id, { ...without(engine, name), flying: [...engine.flying, name] });
  if (budget.sink > 0) {
    const cut = [...hosts.cut, `${id} ${host}`];
    yield [spent({ ...sent, hosts: { ...hosts, cut, held: [...hosts.held, held] } }, "sink"), `${id}: hands ${name} to a broken line`];
  }
  if (scenario.fence !== false && !isAccepted(world, held)) {
    yield [withEngine(world, id, { ...engine, epoch: -1, log: null, script: null, fresh: [], flying: [] }), `${id}: is refused ${name}`];
    return;
  }
  const taken = take({ ...sent, hosts: { ...hosts, held: [...hosts.held, held] } }, held);
  if (budget.hold > 0) yield [spent(taken, "hold"), `${id}: dispatches ${name}, and ${host} takes its time`];
  yield [leave(taken, { ...held, isTaken: true }), `${id}: dispatches ${name} to ${host}`];
}

/** Its host is there: what it knows of it; what it does not know it will not take any more. */
function* meet(world: World, id: Id, operation: OperationState, report: (said: Said, of?: World) => Step): Generator<Step> {
  const { hosts, known } = world;
  if (hosts === null) return;
  const engine = world.engines[id];
  const name = nameOf(operation);
  const isFlying = engine.flying.includes(name);
  const host = operation.host ?? "";
  const epochs = { ...hosts.epochs, [host]: Math.max(hosts.epochs[host] ?? 0, engine.epoch) };
  const denied: World = { ...world, hosts: { ...hosts, epochs, held: hosts.held.filter((one) => one.isTaken || one.id !== name) } };
  const what = known[name];
  if (what === "succeeded") yield report(done);
  else if (what === "ambiguous") yield report(ambiguous);
  else if (what === "refused") yield report(refused);
  else if (what === "running" && !isFlying)
    yield [
      withEngine({ ...world, hosts: { ...hosts, epochs } }, id, { ...engine, flying: [...engine.flying, name] }),
      `${id}: joins ${name}`,
    ];
  else if (what === undefined && isFlying) yield report(ambiguous, denied);
  else if (what === undefined && (operation.called?.effect.class === "pure" || !world.isOld))
    yield report({ status: "lost", detail: "" }, denied);
}

/** O9: it may be performing it, or take it yet. */
function* miss(scenario: Scenario, world: World, operation: OperationState, report: (said: Said) => Step): Generator<Step> {
  const { hosts, now, isOld, log } = world;
  const { called } = operation;
  if (hosts === null || called === null) return;
  const said = { status: "lost", detail: "" } as const;
  if (called.effect.class === "pure" || scenario.forgetsReach) yield report(said);
  else {
    const runsUntil = now + RUN_MS;
    const judged = { ...operation, runsUntil: Math.max(operation.runsUntil ?? 0, runsUntil) };
    const follows = next(
      { operation: judged, called, at: now, isStopping: log.state.stop !== null, isRepeated: false },
      { ...said, runsUntil },
    );
    const mayRun = isOld || hosts.held.some(({ id }) => id === nameOf(operation));
    if (follows?.kind !== "settle") yield report({ ...said, runsUntil });
    else if (!mayRun) yield report({ ...said, runsUntil: now });
  }
}

/** Lines to one of the hosts break and are whole again; hosts take what comes late, send what they have, and end. */
export function* hostSteps(scenario: Scenario, world: World): Generator<Step> {
  const { hosts, budget } = world;
  if (hosts === null) return;
  for (const line of hosts.cut) yield [withHosts(world, { cut: hosts.cut.filter((one) => one !== line) }), `line ${line} is whole`];
  for (const line of ["0 A", "1 A"])
    if (budget.cut > 0 && !hosts.cut.includes(line))
      yield [spent(withHosts(world, { cut: [...hosts.cut, line].toSorted() }), "cut"), `line ${line} breaks`];
  for (const held of hosts.held) {
    if (held.isTaken) yield [leave(world, held), `${held.host}: sends ${held.id}`];
    else {
      const others = hosts.held.filter((one) => one !== held);
      yield [withHosts(world, { held: others }), `line: ${held.id} is lost`];
      const mayCome = !hosts.dead.includes(held.host) && (scenario.fence === false || isAccepted(world, held));
      if (mayCome) yield [take(world, held), `${held.host}: takes ${held.id}, which comes late`];
    }
  }
  for (const host of ["A", "B"])
    if (budget.forget > 0 && !hosts.dead.includes(host) && hosts.held.some((one) => one.host === host))
      yield [spent(end(world, host), "forget"), `${host}: ends, its requests go on`];
}

/** Whether time may pass on to `at`: not past what is still to be sent, or to be taken. */
export function mayPass({ hosts, isOld }: World, { key, runsUntil }: OperationState, at: number): boolean {
  if (hosts === null || runsUntil === null || at < runsUntil) return true;
  return !isOld && !hosts.held.some((one) => one.key === key);
}

const unsent: Said = { status: "unsent", detail: "" };

function reaches({ cut, dead }: Hosts, id: Id, host: string): boolean {
  return host !== "" && !dead.includes(host) && !cut.includes(`${id} ${host}`);
}

/** A lease that runs, and no higher epoch seen by this host. */
function isAccepted(world: World, { by, epoch, host }: Held): boolean {
  const isOwner = world.owner === by && epoch === world.epoch && !world.hasLapsed;
  return epoch >= (world.hosts?.epochs[host] ?? 0) && (isOwner || (world.isOld && epoch === world.epoch - 1));
}

function take(world: World, held: Held): World {
  const { hosts } = world;
  if (hosts === null) return world;
  const epochs = { ...hosts.epochs, [held.host]: Math.max(hosts.epochs[held.host] ?? 0, held.epoch) };
  const all = hosts.held.map((one) => (one.id === held.id ? { ...held, isTaken: true } : one));
  return { ...world, hosts: { ...hosts, epochs, held: all }, known: { ...world.known, [held.id]: "running" } };
}

function leave(world: World, { id, key, kind }: Held): World {
  const flight = { id, key, isPure: kind === "pure", isKeyed: kind === "keyed", isHeard: true };
  const held = world.hosts?.held.filter((one) => one.id !== id) ?? [];
  return { ...withHosts(world, { held }), fly: [...world.fly, flight] };
}

/** What it had not sent is never sent; nobody hears any more what it had. */
function end(world: World, host: string): World {
  const held = world.hosts?.held.filter((one) => one.host !== host || !one.isTaken) ?? [];
  const known = Object.fromEntries(Object.entries(world.known).filter(([name]) => hostOf(world, name) !== host));
  const fly = world.fly.map((one) => (hostOf(world, one.id) === host ? { ...one, isHeard: false } : one));
  return { ...withHosts(world, { held, dead: [...(world.hosts?.dead ?? []), host] }), known, fly };
}

/** By the tries in the log, of which only the last is kept with its host: an earlier one is not asked about any more. */
function hostOf({ log }: World, name: string): string | null {
  for (const [, operation] of log.state.operations.entries()) if (nameOf(operation) === name) return operation.host;
  return null;
}

function withHosts(world: World, change: Partial<Hosts>): World {
  return world.hosts === null ? world : { ...world, hosts: { ...world.hosts, ...change } };
}

function nameOf({ attempt, call, try: tried }: OperationState): string {
  return `${attempt}:${call}:${tried}`;
}
