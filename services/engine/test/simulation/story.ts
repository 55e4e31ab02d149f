import type { EngineStore } from "@woml/prisma";
import { type MemoryRequest, type MemoryRun, memoryStore } from "@woml/prisma/memory";
import { asRunId, asTenantId, type RunKey } from "@woml/run";
import type { Invocation, ScriptOutcome } from "@woml/sandbox";
import { startEngine } from "../../index.ts";
import { sandboxDouble } from "../sandbox-double.ts";
import { unreliableBell } from "./bell.ts";
import { Chance } from "./chance.ts";
import { offspring, ownFaults } from "./children.ts";
import { distantSandbox, distantStore } from "./distant.ts";
import { distantHost } from "./door.ts";
import { DistantHosts } from "./doors.ts";
import { isForPerson, isPutOff, type Known } from "./known.ts";
import { planLanes, watched } from "./lanes.ts";
import { Market } from "./market.ts";
import { Person } from "./person.ts";
import { childPlot, type Plot, payloadFor, plots, WORKFLOW } from "./plot.ts";
import { type Odds, Process } from "./process.ts";
import { CHILD, SIGNAL } from "./program.ts";
import { playing } from "./script.ts";
import { Sequels } from "./sequel.ts";
import { idle, isFlying, type Slot } from "./slot.ts";
import { changeDefinition, changeModules, stock } from "./stock.ts";
import type { Tally } from "./tally.ts";
import { Time } from "./time.ts";
import { Witness } from "./witness.ts";
import { planWorld } from "./world.ts";

const EPOCH = 1_700_000_000_000;
const TENANTS = [asTenantId("00000000-0000-7000-8000-00000000000a"), asTenantId("00000000-0000-7000-8000-00000000000b")] as const;
/** From here on nothing fails any more, and every run must come to its end. */
const CALM_AT = 25_000;
const LIMIT = 900_000;
const CALM: Odds = { death: 0, loss: 0, stall: 0, lag: 0, sink: 0 };

/** One seed: some runs of random definitions, two engines, and everything that may go wrong. */
export class Story {
  readonly time = new Time();
  readonly witness: Witness;
  readonly store: ReturnType<typeof memoryStore>;
  readonly market: Market;
  readonly runs: Known[] = [];
  readonly #chance: Chance;
  readonly #tally: Tally;
  readonly #bell: ReturnType<typeof unreliableBell>;
  readonly #slots: Slot[] = [idle(), idle()];
  readonly #processes: Process[] = [];
  readonly #odds: Odds;
  readonly #throwing: number;
  readonly #person: Person;
  /** Whether scripts call. */
  readonly #isArmed: boolean;
  /** Runs whose approvals nobody ever decides. */
  readonly #forgotten = new Set<RunKey>();
  /** The workflow that others ask for. */
  readonly #child: Plot;
  readonly #plots: readonly [Plot, Plot];
  readonly #sequels: Sequels;
  /** How far PostgreSQL's clock stands from where it began. */
  #skewMs = 0;
  #isTampered = false;

  constructor(seed: number, tally: Tally) {
    this.#chance = new Chance(seed);
    this.#tally = tally;
    this.#bell = unreliableBell(this.time, this.#chance, tally);
    this.store = memoryStore(() => this.#clock());
    this.witness = new Witness((key) => this.store.run(key), tally);
    this.#isArmed = this.#chance.hit(0.85);
    this.#child = childPlot(this.#chance, this.#isArmed);
    this.#plots = plots(this.#chance, this.#isArmed);
    this.#sequels = new Sequels({
      ...{ chance: this.#chance, tally, plots: this.#plots, child: this.#child },
      row: (key) => this.store.run(key),
      uuid: () => asRunId(this.#uuid()),
    });
    this.market = new Market({
      ...{ time: this.time, chance: this.#chance, tally, isCalm: () => this.#isCalm },
      clock: () => this.#clock(),
      hosts: this.#chance.pick([1, 1, 2, 3]),
      taken: (dispatch, at) => {
        if (this.store.isFenced(dispatch.engine)) tally.hit("taken from an engine that is fenced and has its lease");
        this.witness.taken(dispatch, { ...at, leaseUntil: this.#leaseUntil(dispatch.engine) });
      },
    });
    this.#person = new Person({ provider: this.market.provider, chance: this.#chance, tally, clock: () => this.#clock() });
    this.#throwing = this.#chance.pick([0.02, 0.1, 0.4]);
    this.#odds = {
      death: this.#chance.pick([0, 0.003, 0.01, 0.03]),
      loss: this.#chance.pick([0, 0.01, 0.04]),
      stall: this.#chance.pick([0, 0, 0.005]),
      lag: this.#chance.pick([0, 0, 0, 0.15]),
      sink: this.#chance.pick([0, 0.15, 0.4]),
    };
  }

  /** Answers whether every run has come to rest. */
  async play(): Promise<boolean> {
    this.#plan();
    let isOver = false;
    const look = (): void => {
      isOver = this.#isAtRest() && !this.#isTampered;
      if (this.#isAtRest() && this.#isTampered) this.#cancelHeld();
      if (!isOver) this.time.after(500, look);
    };
    this.time.after(CALM_AT, () => {
      for (const { process } of this.#slots) if (process !== null) process.odds = CALM;
      look();
    });
    await this.time.run(() => isOver, LIMIT);
    for (const { process } of this.#slots) process?.retire();
    return isOver;
  }

  /** What the platform's own operations did otherwise than the logs say. */
  ownFaults(): Promise<readonly string[]> {
    const { store } = this;
    const rows = this.runs.flatMap((run) => store.run(run) ?? []);
    const { state } = store.open();
    const counted = async (...asked: Parameters<typeof state>): Promise<number> => Number((await state(...asked)).value);
    return ownFaults({ rows, requests: store.requests(), counted, tally: this.#tally });
  }

  /** PostgreSQL's time. */
  #clock(): number {
    return EPOCH + Math.floor(this.time.now) + this.#skewMs;
  }
  #leaseUntil(engine: string): number {
    const until = this.#processes.find((process) => process.engine === engine)?.leaseUntil ?? Number.NEGATIVE_INFINITY;
    return until + this.#clock() - this.time.now;
  }
  get #isCalm(): boolean {
    return this.time.now >= CALM_AT;
  }
  /** Some time before calm comes. */
  #soon(): number {
    return this.#chance.between(0, CALM_AT - 5_000);
  }

  #plan(): void {
    const made = this.#plots;
    stock(this.store, TENANTS, [...made, this.#child]);
    for (const tenant of TENANTS) {
      this.store.activate(tenant, CHILD, this.#child.version);
      const { version } = this.#child;
      this.store.subscribe(SIGNAL, { tenant, workflow: CHILD, trigger: "heard", version, spec: {}, secrets: [] });
    }
    if (this.#chance.hit(0.6)) planLanes({ store: this.store, chance: this.#chance, tenants: TENANTS, workflows: [WORKFLOW, CHILD] });
    for (let n = this.#chance.between(1, 5); n > 0; n--) {
      const { version, graph, times } = this.#chance.pick(made);
      this.#planRun({ tenant: this.#chance.pick(TENANTS), run: asRunId(this.#uuid()), version, graph, times });
    }
    for (const slot of this.#slots) {
      this.time.after(this.#chance.between(0, 2_000), () => void this.#boot(slot));
      this.#disturb(slot);
    }
    if (this.#chance.hit(0.2)) this.time.after(this.#soon(), () => this.#setClock());
    if (this.#isArmed)
      planWorld({
        ...{ time: this.time, chance: this.#chance, tally: this.#tally, market: this.market, vault: this.store.vault, tenants: TENANTS },
        when: (isRipe, what) => this.#when(isRipe, what),
        soon: () => this.#soon(),
        breakSessions: () => {
          for (const slot of this.#slots) if (this.#chance.hit(0.5)) this.#breakSession(slot);
        },
      });
    this.#visit();
    const [changed] = made;
    if (this.#chance.hit(0.3))
      this.#when(
        () => this.#slots.some(isFlying),
        () => this.#tamper(changed),
      );
    if (this.#chance.hit(0.1))
      this.#when(
        () => this.#slots.some(isFlying),
        () => this.#tamper(null),
      );
  }

  /** What is dispatched hangs on clocks that stand no further apart than they are said to. */
  #setClock(): void {
    const byMs = this.#isArmed ? this.#chance.between(-400, 400) : this.#chance.between(-3_000, 3_000);
    this.#skewMs += byMs;
    this.#tally.hit(byMs < 0 ? "clock set back" : "clock set forward");
  }

  /** Somebody looks whether they are needed. */
  #visit(): void {
    for (const run of this.runs) {
      const row = this.store.run(run);
      if (row?.status === "needs_resolution" && this.#chance.hit(0.7)) for (const said of this.#person.look(row)) this.#ask(run, said);
      if (row !== null && hasApprovals(run) && !this.#forgotten.has(run)) for (const said of this.#person.decide(row)) this.#ask(run, said);
    }
    const sequel = this.#isCalm ? null : this.#sequels.next(this.runs);
    if (sequel !== null) this.#know(sequel.run);
    if (sequel !== null) this.#ask(sequel.run, sequel.body);
    this.time.after(this.#chance.pick([300, 1_000, 4_000]), () => this.#visit());
  }
  #know(run: Known): void {
    this.runs.push(run);
    this.witness.know(run);
    if (this.#chance.hit(0.1)) this.#forgotten.add(run);
  }
  #planRun(run: Known): void {
    this.#know(run);
    const at = this.#soon();
    const withCancel = this.#chance.hit(0.05);
    const isTold = this.#chance.hit(0.15);
    this.time.after(at, () => {
      this.#ask(run, {
        kind: "start",
        workflow: WORKFLOW,
        version: run.version,
        trigger: { kind: "manual", id: "go" },
        payload: payloadFor(this.#chance),
        labels: [],
        ...(isTold ? { onAmbiguous: "fail" } : {}),
      });
      if (withCancel) {
        this.#tally.hit("cancel with its start");
        this.#ask(run, { kind: "cancel" });
      }
    });
    if (this.#chance.hit(0.1))
      this.#when(
        () => this.store.run(run)?.status === "waiting",
        () => this.store.run(run) && this.#cancel(run),
      );
    if (this.#chance.hit(0.15))
      this.time.after(at + this.#chance.pick([300, 1_000, 20_000]) * this.#chance.next(), () => this.#cancel(run));
  }

  #cancel(run: RunKey): void {
    const row = this.store.run(run);
    if (row?.status === "waiting") this.#tally.hit("cancel of a waiting run");
    if (row?.held) this.#tally.hit("cancel of a held run");
    if (row?.nextDue === null) this.#tally.hit("cancel of an ended run");
    this.#ask(run, { kind: "cancel" });
  }

  #ask({ tenant, run }: RunKey, body: MemoryRequest["body"]): void {
    this.store.request({ tenant, run, id: this.#uuid(), body });
    this.#bell.ring("shared");
  }

  /** Changes a definition, or all modules, where they are stored. */
  #tamper(plot: Plot | null): void {
    this.#tally.hit(plot === null ? "module changed" : "definition changed");
    if (plot === null) changeModules(this.store, TENANTS, this.#child);
    else changeDefinition(this.store, TENANTS, plot);
    this.#isTampered = true;
    // What is loaded again from now on meets it.
    for (const { process, flights } of this.#slots) if (flights.size > 0) process?.kill();
  }
  /** What a changed definition holds can still be cancelled. */
  #cancelHeld(): void {
    this.#isTampered = false;
    for (const run of this.runs) if (this.store.run(run)?.held && this.#chance.hit(0.5)) this.#cancel(run);
  }

  #disturb(slot: Slot): void {
    const chance = this.#chance;
    const isBusy = (): boolean => isFlying(slot) || this.market.isBusy;
    if (chance.hit(0.4)) this.#when(isBusy, () => slot.process?.pause(chance.pick([50, 1_000, 4_000, 18_000, 18_000])));
    if (chance.hit(0.25)) this.#when(isBusy, () => this.#breakSession(slot));
    if (this.#isArmed && chance.hit(0.25)) this.#when(isBusy, () => this.#takeOverEarly(slot));
    if (chance.hit(0.2)) this.#when(isBusy, () => this.#loseSupervisor(slot));
    if (chance.hit(0.3)) this.#when(isBusy, () => void this.#stop(slot));
  }
  /** Soon, and mostly when it hurts. */
  #when(isRipe: () => boolean, what: () => void): void {
    const isPatient = this.#chance.hit(0.7);
    const look = (): void => {
      if (this.#isCalm) return;
      if (isPatient && !isRipe()) this.time.after(this.#chance.between(20, 200), look);
      else what();
    };
    this.time.after(this.#soon(), look);
  }
  #breakSession({ process }: Slot): void {
    if (process?.engine === undefined) return;
    this.#tally.hit("lease session broken");
    this.store.breakLease(process.engine);
  }
  /** What an engine cannot hand over just then is judged by the one that takes over; and then the host forgets who that was. */
  #takeOverEarly(slot: Slot): void {
    const chance = this.#chance;
    this.market.crowd(chance.between(2_500, 4_500));
    this.time.after(chance.between(300, 1_500), () => this.#breakSession(slot));
    this.time.after(chance.between(2_000, 4_500), () => this.market.restart());
  }
  #loseSupervisor({ sandbox }: Slot): void {
    if (sandbox === null || sandbox.running === 0) return;
    this.#tally.hit("supervisor lost");
    sandbox.lose();
  }
  async #stop(slot: Slot): Promise<void> {
    const { process, stop } = slot;
    await stop();
    if (process === null || process.isDead) return;
    this.#tally.hit("engine stopped");
    process.kill();
  }

  async #boot(slot: Slot): Promise<void> {
    const process = new Process(this.#outside(slot), this.#isCalm ? CALM : this.#odds);
    this.#processes.push(process);
    const flights = new Map<string, string>();
    const play = playing({ time: this.time, chance: this.#chance, isCalm: () => this.#isCalm, throwing: this.#throwing });
    const sandbox = sandboxDouble(play, (ms) => this.time.sleep(ms));
    Object.assign(slot, { process, sandbox, flights, stop: async () => undefined });
    process.onDeath = () => {
      const { engine } = process;
      void sandbox.close();
      if (engine !== undefined) this.time.after(this.#chance.between(0, 20), () => this.store.breakLease(engine));
      this.time.after(this.#chance.between(50, 3_000), () => void this.#boot(slot));
    };
    const seen = {
      frame: (frame: Invocation): void => {
        this.#adopt();
        flights.set(frame.invocation, this.witness.frame(process, frame));
      },
      over: (frame: Invocation, outcome: ScriptOutcome): void => this.#over(flights, frame, outcome),
      answer: this.witness.answer.bind(this.witness),
    };
    const world = process.world({
      store: distantStore(process, this.#watched(), {
        claimed: (runs) => this.#claimed(slot, runs),
        lands: (wanted) => this.witness.lands(wanted),
      }),
      sandbox: distantSandbox(process, sandbox, seen),
      plugins: this.market.isSpread ? new DistantHosts(process, this.market) : distantHost(process, this.market),
      doorbell: this.#bell,
    });
    try {
      const engine = await startEngine(world, {
        drivenMax: this.#chance.pick([2, 50]),
        graceMs: 500,
        parkAfterMs: this.#chance.pick([200, 5_000]),
      });
      slot.stop = engine.stop;
      await engine.ended;
    } catch {
      // No lease: the process ends, and another is started.
    }
    process.kill();
  }

  #watched(): EngineStore {
    const runs = (): readonly Known[] => {
      this.#adopt();
      return this.runs;
    };
    return watched(this.store, { runs, tally: this.#tally, broken: this.witness.broken });
  }
  #outside(slot: Slot): ConstructorParameters<typeof Process>[0] {
    return { time: this.time, chance: this.#chance, tally: this.#tally, slot: this.#slots.indexOf(slot), clock: () => this.#clock() };
  }

  #over(flights: Map<string, string>, { invocation }: Invocation, outcome: ScriptOutcome): void {
    const flight = flights.get(invocation) ?? "";
    flights.delete(invocation);
    this.#tally.hit(`outcome ${outcome.result === '"\\u0000"' ? "invalid_result" : outcome.outcome}`);
    if (outcome.outcome === "overloaded") this.witness.refused(flight);
  }

  #claimed(by: Slot, runs: readonly RunKey[]): void {
    const others = this.#slots.filter((slot) => slot !== by && slot.process?.isDead === false);
    const flights = others.flatMap((slot) => [...slot.flights.values()]);
    for (const { run } of runs) if (flights.some((flight) => flight.includes(run))) this.#tally.hit("taken over while scripts ran");
  }

  /** Runs that other runs have asked for. */
  #adopt(): void {
    for (const run of offspring(this.store.requests(), this.runs, this.#child)) {
      this.runs.push(run);
      this.witness.know(run);
    }
  }
  #isAtRest(): boolean {
    this.#adopt();
    const isOpen = this.store.requests().some((request) => !request.consumed && !isPutOff(request, this.store.run(request)));
    return !isOpen && this.runs.every((run) => isDone(this.store.run(run), this.#forgotten.has(run)));
  }
  #uuid(): string {
    const { hex } = { hex: (digits: number) => this.#chance.hex(digits) };
    return `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  }
}

/** `mayWait`: for a person who never comes. */
function isDone(row: MemoryRun | null, mayWait: boolean): boolean {
  if (row === null || row.held !== null) return true;
  return row.nextDue === null && (row.waitingFor === null || (mayWait && isForPerson(row)));
}

const hasApprovals = ({ graph }: Known): boolean => graph.definition.nodes.some(({ kind }) => kind === "approval");
