import { accept, canonical, type Definition, graph } from "@woml/model";
import { arbitraryDefinition } from "@woml/model/testing";
import { type MemoryRequest, type MemoryRun, memoryStore } from "@woml/prisma/memory";
import { asRunId, asTenantId, type RunKey } from "@woml/run";
import type { Invocation } from "@woml/sandbox";
import fc from "fast-check";
import { startEngine } from "../../index.ts";
import { hostDouble } from "../plugin-double.ts";
import { type SandboxDouble, sandboxDouble } from "../sandbox-double.ts";
import { unreliableBell } from "./bell.ts";
import { Chance } from "./chance.ts";
import { distantSandbox, distantStore } from "./distant.ts";
import { digest, type Odds, Process } from "./process.ts";
import { scripted } from "./script.ts";
import type { Tally } from "./tally.ts";
import { Time } from "./time.ts";
import { type Known, Witness } from "./witness.ts";

const EPOCH = 1_700_000_000_000;
const TENANTS = [asTenantId("00000000-0000-7000-8000-00000000000a"), asTenantId("00000000-0000-7000-8000-00000000000b")] as const;
/** From here on nothing fails any more, and every run must come to its end. */
const CALM_AT = 25_000;
const LIMIT = 900_000;
const CALM: Odds = { death: 0, loss: 0, stall: 0 };

interface Slot {
  process: Process | null;
  sandbox: SandboxDouble | null;
  /** Frames in the sandbox, by invocation. */
  flights: Map<string, string>;
  stop: () => Promise<void>;
}

/** One seed: some runs of random definitions, two engines, and everything that may go wrong. */
export class Story {
  readonly time = new Time();
  readonly witness: Witness;
  readonly store: ReturnType<typeof memoryStore>;
  readonly host = hostDouble(() => EPOCH + Math.floor(this.time.now) + this.#skewMs);
  readonly runs: Known[] = [];
  readonly #chance: Chance;
  readonly #tally: Tally;
  readonly #bell: ReturnType<typeof unreliableBell>;
  readonly #slots: Slot[] = [idle(), idle()];
  readonly #odds: Odds;
  readonly #throwing: number;
  /** How far PostgreSQL's clock stands from where it began. */
  #skewMs = 0;
  #isTampered = false;

  constructor(seed: number, tally: Tally) {
    this.#chance = new Chance(seed);
    this.#tally = tally;
    this.#bell = unreliableBell(this.time, this.#chance, tally);
    this.store = memoryStore(() => EPOCH + Math.floor(this.time.now) + this.#skewMs);
    this.witness = new Witness((key) => this.store.run(key));
    this.#throwing = this.#chance.pick([0.02, 0.1, 0.4]);
    this.#odds = {
      death: this.#chance.pick([0, 0.003, 0.01, 0.03]),
      loss: this.#chance.pick([0, 0.01, 0.04]),
      stall: this.#chance.pick([0, 0, 0.005]),
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

  get #isCalm(): boolean {
    return this.time.now >= CALM_AT;
  }
  /** Some time before calm comes. */
  #soon(): number {
    return this.#chance.between(0, CALM_AT - 5_000);
  }

  #plan(): void {
    const definitions = fc
      .sample(arbitraryDefinition, { seed: this.#chance.between(1, 1e9), numRuns: 2 })
      .map((made) => stored(made, this.#chance.hit(0.4)));
    for (const tenant of TENANTS)
      for (const { version, text } of definitions) this.store.publish({ tenant, version, text, sourceMap: null });
    for (let n = this.#chance.between(1, 6); n > 0; n--) {
      const made = this.#chance.pick([definitions[0], definitions[1]]);
      if (made) this.#planRun({ tenant: this.#chance.pick(TENANTS), run: asRunId(this.#uuid()), version: made.version, graph: made.graph });
    }
    for (const slot of this.#slots) {
      this.time.after(this.#chance.between(0, 2_000), () => void this.#boot(slot));
      this.#disturb(slot);
    }
    if (this.#chance.hit(0.2)) this.time.after(this.#soon(), () => this.#setClock(this.#chance.between(-3_000, 3_000)));
    const [changed] = definitions;
    if (changed && this.#chance.hit(0.3))
      this.#when(
        () => this.#slots.some(isFlying),
        () => this.#tamper(changed),
      );
  }

  #setClock(byMs: number): void {
    this.#skewMs += byMs;
    this.#tally.hit(byMs < 0 ? "clock set back" : "clock set forward");
  }

  #planRun(run: Known): void {
    this.runs.push(run);
    this.witness.know(run);
    const at = this.#soon();
    const withCancel = this.#chance.hit(0.1);
    this.time.after(at, () => {
      this.#ask(run, {
        kind: "start",
        workflow: "made-up",
        version: run.version,
        trigger: { kind: "manual", id: "go" },
        payload: { flag: this.#chance.hit(0.5) },
        labels: [],
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
    if (this.#chance.hit(0.3)) this.time.after(at + this.#chance.pick([300, 1_000, 20_000]) * this.#chance.next(), () => this.#cancel(run));
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

  #tamper(made: ReturnType<typeof stored>): void {
    this.#tally.hit("definition changed");
    const text = made.text.replace("return", "Return");
    for (const tenant of TENANTS) this.store.publish({ tenant, version: made.version, text, sourceMap: null });
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
    const isBusy = (): boolean => isFlying(slot);
    if (chance.hit(0.4)) this.#when(isBusy, () => slot.process?.pause(chance.pick([50, 1_000, 4_000, 18_000, 18_000])));
    if (chance.hit(0.25)) this.#when(isBusy, () => this.#breakSession(slot));
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
    const process = new Process({ time: this.time, chance: this.#chance, tally: this.#tally }, this.#isCalm ? CALM : this.#odds);
    const flights = new Map<string, string>();
    const sandbox = sandboxDouble(async ({ invocation }: Invocation) => {
      const { ms, outcome } = scripted(this.#chance, this.#isCalm, this.#throwing);
      await this.time.sleep(ms);
      const flight = flights.get(invocation) ?? "";
      flights.delete(invocation);
      this.#tally.hit(`outcome ${outcome.result === '"\\u0000"' ? "invalid_result" : outcome.outcome}`);
      if (outcome.outcome === "overloaded") this.witness.refused(flight);
      return outcome;
    });
    Object.assign(slot, { process, sandbox, flights, stop: async () => undefined });
    process.onDeath = () => {
      const { engine } = process;
      void sandbox.close();
      if (engine !== undefined) this.time.after(this.#chance.between(0, 20), () => this.store.breakLease(engine));
      this.time.after(this.#chance.between(50, 3_000), () => void this.#boot(slot));
    };
    const see = (frame: Invocation): void => void flights.set(frame.invocation, this.witness.frame(process, frame));
    const world = process.world({
      store: distantStore(process, this.store.open(), {
        claimed: (runs) => this.#claimed(slot, runs),
        lands: (wanted) => this.witness.lands(wanted),
      }),
      sandbox: distantSandbox(process, sandbox, see),
      plugins: this.host,
      doorbell: this.#bell,
    });
    try {
      const engine = await startEngine(world, { drivenMax: this.#chance.pick([2, 50]), graceMs: 500 });
      slot.stop = engine.stop;
      await engine.ended;
    } catch {
      // No lease: the process ends, and another is started.
    }
    process.kill();
  }

  #claimed(by: Slot, runs: readonly RunKey[]): void {
    const others = this.#slots.filter((slot) => slot !== by && slot.process?.isDead === false);
    const flights = others.flatMap((slot) => [...slot.flights.values()]);
    for (const { run } of runs) if (flights.some((flight) => flight.includes(run))) this.#tally.hit("taken over while scripts ran");
  }

  #isAtRest(): boolean {
    const isOpen = this.store.requests().some(({ consumed }) => !consumed);
    return !isOpen && this.runs.every((run) => isDone(this.store.run(run)));
  }
  #uuid(): string {
    const { hex } = { hex: (digits: number) => this.#chance.hex(digits) };
    return `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  }
}

const isFlying = ({ flights }: Slot): boolean => flights.size > 0;
const idle = (): Slot => ({ process: null, sandbox: null, flights: new Map(), stop: async () => undefined });

function isDone(row: MemoryRun | null): boolean {
  return row === null || row.nextDue === null || row.held !== null;
}

function stored(
  made: Definition,
  keepsTimeout: boolean,
): { readonly text: string; readonly version: string; readonly graph: Known["graph"] } {
  const { policy, ...untimed } = made;
  const accepted = accept(keepsTimeout && policy ? made : untimed);
  if ("violations" in accepted) throw new Error(`the generator made a definition that is refused: ${accepted.violations[0]?.code}`);
  const text = canonical(accepted.definition);
  return { text, version: digest(text), graph: graph(accepted.definition) };
}
