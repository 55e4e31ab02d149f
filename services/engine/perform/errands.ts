import { operationId } from "@woml/run";
import type { Due } from "../due.ts";
import { type Desk, type Errand, nameOf, placeOf } from "./errand.ts";
import { join } from "./join.ts";
import { ask, begin } from "./operation.ts";
import type { Part } from "./perform.ts";

type Wanted = Due["operations"][number];
interface Listed {
  readonly id: string;
  readonly isDispatch: boolean;
  readonly errand: Errand;
  isCancelled: boolean;
  isWaiting: boolean;
}

/** The operations of one run that are in flight. Each stays listed until the log has moved past it, so that none is sent twice (O2). */
export class Errands {
  readonly #desk: Desk;
  readonly #part: Part;
  readonly #since: number;
  readonly #trace: (node: string) => string | null;
  readonly #listed = new Map<string, Listed>();
  /** Tries that were handed to a host, or looked for there. */
  readonly #touched = new Set<string>();

  /** `since`: the run's head when this engine took it up. `trace`: what an operation of this node follows from. */
  constructor(desk: Desk, part: Part, { since, trace }: { readonly since: number; readonly trace: (node: string) => string | null }) {
    this.#desk = desk;
    this.#part = part;
    this.#since = since;
    this.#trace = trace;
  }
  get size(): number {
    return this.#listed.size;
  }
  /** None of them will be heard of before a host comes back or a lease ends. */
  get areWaiting(): boolean {
    return [...this.#listed.values()].every(({ isWaiting }) => isWaiting);
  }
  carries(id: string): boolean {
    for (const one of this.#listed.values()) if (one.id === id) return true;
    return false;
  }
  reconcile(due: readonly Wanted[]): void {
    const wanted = new Map(due.map((one) => [this.#keyOf(one), one]));
    for (const key of this.#listed.keys()) if (!wanted.has(key)) this.#listed.delete(key);
    for (const [key, one] of wanted) if (!this.#listed.has(key)) this.#send(key, one);
    this.#cancel();
  }
  clear(): void {
    this.#listed.clear();
  }

  #send(key: string, { node, attempt, call, try: number, action }: Wanted): void {
    const id = operationId(node, attempt, call);
    const operation = this.#part.state().operations.get(id);
    if (operation === undefined) throw new Error(`due named ${id}, which is no operation`);
    const { key: run, epoch, fenced, heard } = this.#part;
    const errand: Errand = {
      ...{ key: run, epoch, operation, fenced, seed: this.#part.state().admitted?.seed ?? "" },
      wanted: () => this.#listed.get(key) === listed,
      stopping: () => this.#isStopping(node),
      waits: () => {
        listed.isWaiting = true;
      },
      trace: () => this.#trace(node),
    };
    const listed: Listed = { id, isDispatch: action === "perform", errand, isCancelled: false, isWaiting: false };
    this.#listed.set(key, listed);
    const carry = action === "ask" ? ask : this.#isOurs(key, operation.head) ? begin : join;
    this.#touched.add(key);
    carry(this.#desk, errand).then(
      (said) => {
        if (said === null || !errand.wanted()) return;
        const length = said.status === "succeeded" ? JSON.stringify(said.result).length : 0;
        heard(() => ({ command: { kind: "report_operation", node, attempt, call, try: number, said }, request: null, length }));
      },
      (error: unknown) =>
        heard(() => {
          throw error;
        }),
    );
  }

  /** O2: nobody else can have started it, and it was not touched. `head` is the seq of its start: the last event about what is open. */
  #isOurs(key: string, head: number): boolean {
    return head > this.#since && !this.#touched.has(key);
  }

  /** The run ends, or the group that the step stands in. */
  #isStopping(node: string): boolean {
    const { stop, steps } = this.#part.state();
    return stop !== null || steps.get(node)?.isStopping === true;
  }

  /** Of what is stopping. What it says still counts. */
  #cancel(): void {
    for (const one of this.#listed.values()) {
      if (!one.isDispatch || one.isCancelled || !this.#isStopping(one.errand.operation.node)) continue;
      one.isCancelled = true;
      this.#desk.world.plugins.cancel({ ...nameOf(one.errand), ...placeOf(one.errand) });
    }
  }

  #keyOf({ node, attempt, call, try: number, action }: Wanted): string {
    const id = operationId(node, attempt, call);
    const askAt = action === "ask" ? this.#part.state().operations.get(id)?.doubt?.askAt : undefined;
    return [id, number, action, askAt].join(" ");
  }
}
