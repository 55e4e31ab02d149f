import type { Invocation, Listener, ScriptOutcome as Outcome } from "@woml/sandbox";
import type { World } from "../engine.ts";

type Frame = Omit<Invocation, "invocation">;
/** One script that is due. */
export interface Task {
  readonly tenant: string;
  /** How long it waits before its first turn. */
  readonly pauseMs: number;
  /**
   * Made when its turn has come, so that what waits holds no context; what has to be read for it is read in its turn. Never rejects. null: there
   * is nothing to send, the task has dealt with itself.
   */
  readonly frame: () => Frame | null | Promise<Frame | null>;
  /** Called for each invocation with its name, before it leaves: who listens to it; `begun` is called in the turn in which it has left. */
  readonly converse?: (invocation: string) => { readonly listener: Listener; readonly begun: () => void };
  /** Called once, unless cancelled before. Never with `overloaded`. */
  readonly heard: (outcome: Outcome) => void;
}
/** What is not to be said of an attempt before its script can go: it waits for a turn like a task, and keeps that for the task it leads to. */
interface Turn {
  readonly tenant: string;
  /** How long it waits before it waits for its turn. */
  readonly pauseMs: number;
  /** Its turn has come and is kept until `give` is called, once: with the task that goes in it, or with null. `give` answers as `send` does. */
  readonly taken: (give: Give) => void;
}
export type Give = (task: Task | null) => () => void;
export interface Dispatch {
  /** Answers a function that takes the task back: no frame is sent any more, one in flight is cancelled, nothing is heard. */
  send(task: Task): () => void;
  /** Goes before what was never sent. Answers a function that takes it back while it waits. */
  turn(turn: Turn): () => void;
  /** These tenants, and no others, get no turn until this is called again; what is in flight goes on, and what has its turn goes. */
  hold(tenants: ReadonlySet<string>): void;
  /** Sends nothing from now on; what is in flight goes on. */
  close(): void;
  readonly inFlight: number;
  /** Invocations and turns of a tenant that are on their way or wait to be. */
  ofTenant(tenant: string): number;
}

interface Line {
  /** Of what was lost; they go before what was never sent. */
  readonly turns: Set<Turn>;
  readonly tasks: Set<Task>;
  flying: number;
}

const RETRY_MS = 50;
const LOST: Outcome = { outcome: "host_unavailable", cpuMs: 0, ms: 0 };

interface Bounds {
  readonly window: number;
  readonly tenantWindow: number;
}
type Surroundings = Pick<World, "sandbox" | "alarm" | "mint">;

/**
 * Invariants:
 * 1. Frames leave only while `alive` says so, asked in the same turn of the event loop that hands the frame over.
 * 2. A task is in flight at most once; it is sent again only after `overloaded`, which says that nothing ran.
 * 3. A tenant that is held begins nothing: what waits keeps its place in its line.
 * 4. At most `window` invocations are in flight or turns kept, `tenantWindow` of one tenant, and tenants take turns.
 */
export function openDispatch(world: Surroundings, alive: () => boolean, bounds: Bounds): Dispatch {
  return new Lines(world, alive, bounds);
}

class Lines implements Dispatch {
  readonly #world: Surroundings;
  readonly #alive: () => boolean;
  readonly #bounds: Bounds;
  readonly #lines = new Map<string, Line>();
  readonly #takenBack = new WeakMap<Task, () => void>();
  #flying = 0;
  #held: ReadonlySet<string> = new Set();
  #isClosed = false;

  constructor(world: Surroundings, alive: () => boolean, bounds: Bounds) {
    this.#world = world;
    this.#alive = alive;
    this.#bounds = bounds;
  }

  get inFlight(): number {
    return this.#flying;
  }
  send(task: Task): () => void {
    if (task.pauseMs > 0) this.#later(task, task.pauseMs);
    else this.#join(task);
    return () => this.#takenBack.get(task)?.();
  }
  turn(turn: Turn): () => void {
    let takeBack = (): void => undefined;
    const join = (): void => {
      const line = this.#lineOf(turn.tenant);
      line.turns.add(turn);
      takeBack = () => void line.turns.delete(turn);
      this.#drain();
    };
    if (turn.pauseMs > 0) takeBack = this.#world.alarm(turn.pauseMs, join);
    else join();
    return () => takeBack();
  }
  hold(tenants: ReadonlySet<string>): void {
    this.#held = tenants;
    this.#drain();
  }
  close(): void {
    this.#isClosed = true;
  }
  ofTenant(tenant: string): number {
    const line = this.#lines.get(tenant);
    return line === undefined ? 0 : line.flying + line.turns.size + line.tasks.size;
  }

  #lineOf(tenant: string): Line {
    const line = this.#lines.get(tenant) ?? { turns: new Set<Turn>(), tasks: new Set<Task>(), flying: 0 };
    this.#lines.set(tenant, line);
    return line;
  }
  #join(task: Task): void {
    const line = this.#lineOf(task.tenant);
    line.tasks.add(task);
    this.#takenBack.set(task, () => void line.tasks.delete(task));
    this.#drain();
  }
  #later(task: Task, delayMs: number): void {
    this.#takenBack.set(
      task,
      this.#world.alarm(delayMs, () => this.#join(task)),
    );
  }

  /** One turn of each tenant a round, until the window is full or every line is empty or at its bound. */
  #drain(): void {
    for (let sent = true; sent; ) {
      sent = false;
      for (const [tenant, line] of [...this.#lines]) {
        if (!this.#mayLeave() || this.#flying >= this.#bounds.window) return;
        const isEmpty = line.turns.size + line.tasks.size === 0;
        if (isEmpty && line.flying === 0) this.#lines.delete(tenant);
        if (isEmpty || line.flying >= this.#bounds.tenantWindow || this.#held.has(tenant)) continue;
        this.#lines.delete(tenant);
        this.#lines.set(tenant, line);
        this.#next(line);
        sent = true;
      }
    }
  }
  #next(line: Line): void {
    const [turn] = line.turns;
    const [task] = line.tasks;
    if (turn !== undefined) {
      line.turns.delete(turn);
      this.#keep(turn, line);
    } else if (task !== undefined) {
      line.tasks.delete(task);
      this.#launch(task, line);
    }
  }
  #keep(turn: Turn, line: Line): void {
    this.#fly(line, 1);
    turn.taken((task) => {
      this.#fly(line, -1);
      // It goes at once: what has waited for its turn does not wait again.
      if (task !== null && this.#mayLeave()) this.#launch(task, line);
      this.#drain();
      return () => task !== null && this.#takenBack.get(task)?.();
    });
  }
  #launch(task: Task, line: Line): void {
    const frame = task.frame();
    if (frame instanceof Promise) this.#prepare(task, line, frame);
    else if (frame !== null) this.#leave(task, line, frame);
  }
  /** Its turn is kept meanwhile. */
  #prepare(task: Task, line: Line, frame: Promise<Frame | null>): void {
    let wanted = true;
    this.#takenBack.set(task, () => {
      wanted = false;
    });
    this.#fly(line, 1);
    void frame.then((made) => {
      this.#fly(line, -1);
      if (wanted && made !== null && this.#mayLeave()) this.#leave(task, line, made);
      this.#drain();
    });
  }
  #leave(task: Task, line: Line, frame: Frame): void {
    const invocation = this.#world.mint();
    let wanted = true;
    this.#takenBack.set(task, () => {
      wanted = false;
      this.#world.sandbox.cancel(invocation);
    });
    this.#fly(line, 1);
    const landed = (outcome: Outcome): void => {
      this.#fly(line, -1);
      if (wanted && outcome.outcome === "overloaded") this.#later(task, Math.max(1, outcome.retryAfterMs ?? RETRY_MS));
      else if (wanted) task.heard(outcome);
      this.#drain();
    };
    const talk = task.converse?.(invocation);
    this.#world.sandbox.invoke({ ...frame, invocation }, talk?.listener).then(landed, () => landed(LOST));
    talk?.begun();
  }
  #fly(line: Line, by: 1 | -1): void {
    this.#flying += by;
    line.flying += by;
  }
  #mayLeave(): boolean {
    return !this.#isClosed && this.#alive();
  }
}
