import { Line, type Place } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import {
  type Answer,
  type Call,
  type FromSupervisor,
  type Import,
  type Invoke,
  type Outcome,
  PROTOCOL,
  type ToSupervisor,
  type Work,
} from "./frames.ts";
import { ending } from "./job.ts";
import { answerRule, invokeRule, parseFromSupervisor } from "./parse.ts";
import { Shelf, supply, type Text, tooMuch } from "./shelf.ts";

/** When an invocation that nobody was there for may be asked for again. */
export const ABSENT_MS = 250;
/** And one whose supervisor was lost: another may be there at once. */
const LOST_MS = 50;

/** One script to run once. Texts are JSON; `script.file`, `line` and `column` (1-based) say where the body's first character stands. */
export interface Invocation extends Omit<Work, "modules"> {
  readonly tenant: string;
  /** With their texts, bundles as sdk/modules makes them: a text goes to a supervisor once, however many invocations name it. */
  readonly modules?: readonly (Import & Text)[];
}
/** What a script calls, as its worker says it: nothing in it is believed beyond its shape. */
export type ScriptCall = Omit<Call, "frame" | "invocation">;
export interface Listener {
  /** A console line. */
  readonly line?: (level: string, text: string) => void;
  /** An operation the script calls; the answer goes by `Sandbox.answer`, now or later. Absent, calls are never answered. */
  readonly call?: (call: ScriptCall) => void;
}

/** The engine's side of the sandbox. */
export interface Sandbox {
  /**
   * Always resolves. `host_unavailable`: the supervisor went away when it had begun, or the door is closed. `overloaded`: it was not taken (also
   * while no supervisor is there) or has not begun, so nothing of it has run. `protocol_violation` without a worker: a text or limit is out of bounds.
   */
  invoke(invocation: Invocation, listener?: Listener): Promise<Outcome>;
  /** Answers a call. May be given ahead of a call that the journal names; kept until the journal lets it be told. */
  answer(invocation: string, answer: { readonly call: number; readonly text: string; readonly at: number }): void;
  /** Kills it; its `invoke` resolves `cancelled`. */
  cancel(invocation: string): void;
  /** Hardening in force, as the supervisor said it. */
  readonly layers: readonly string[];
  close(): Promise<void>;
}
interface Pending {
  readonly listener: Listener;
  readonly resolve: (outcome: Outcome) => void;
  hasBegun: boolean;
}

/** Connects, and connects again whenever the supervisor was restarted. Rejects when there is none within ten seconds or it speaks another protocol. */
export async function openDoor(socketPath: string): Promise<Sandbox> {
  const door = new Door({ socket: socketPath });
  await door.opened();
  return door;
}

/** One sandbox. */
export class Door implements Sandbox {
  readonly place: Place;
  layers: readonly string[] = [];
  readonly #pending = new Map<string, Pending>();
  readonly #line: Line<ToSupervisor, FromSupervisor>;
  /** What this supervisor has of modules: one that is met anew has none. */
  #shelf = new Shelf<true>();

  constructor(place: Place) {
    this.place = place;
    this.#line = new Line<ToSupervisor, FromSupervisor>({
      ...{ place, name: "sandbox", protocol: PROTOCOL, maxBytes: BOUNDS.frameBytes, parse: parseFromSupervisor },
      met: ({ layers }) => {
        this.layers = layers;
        this.#shelf = new Shelf();
      },
      heard: (frame) => this.#heard(frame),
      lost: () => this.#lost(),
      drains: () => this.#line.send({ frame: "draining" }),
    });
  }
  opened(): Promise<void> {
    return this.#line.opened();
  }
  get isOpen(): boolean {
    return this.#line.isOpen;
  }
  get isDraining(): boolean {
    return this.#line.isDraining;
  }
  get complaint(): string | null {
    return this.#line.complaint;
  }
  get inFlight(): number {
    return this.#pending.size;
  }

  async invoke(invocation: Invocation, listener: Listener = {}): Promise<Outcome> {
    const { modules = [], ...work } = invocation;
    const imports = modules.map(({ alias, digest }) => ({ alias, digest }));
    const frame: Invoke = { frame: "invoke", ...work, ...(modules.length > 0 ? { modules: imports } : {}) };
    const isUnderWay = this.#pending.has(invocation.invocation);
    const complaint = isUnderWay ? "is already under way" : (invokeRule(frame) ?? tooMuch(this.#shelf, modules));
    if (complaint !== undefined) return ending("protocol_violation", { detail: complaint.slice(0, 1_000) });
    if (this.#line.isClosed) return ending("host_unavailable");
    if (!this.#line.isOpen) return ending("overloaded", { retryAfterMs: ABSENT_MS, detail: "no supervisor is there" });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#pending.set(invocation.invocation, { listener, resolve, hasBegun: false });
    supply(this.#shelf, modules, (module) => this.#line.send(module));
    this.#line.send(frame);
    return promise;
  }
  answer(invocation: string, { call, text, at }: Omit<Answer, "frame" | "invocation">): void {
    const pending = this.#pending.get(invocation);
    const frame: Answer = { frame: "answer", invocation, call, text, at };
    const complaint = answerRule(frame);
    if (pending === undefined) return;
    if (complaint === undefined) this.#line.send(frame);
    else {
      this.cancel(invocation);
      this.#pending.delete(invocation);
      pending.resolve(ending("protocol_violation", { detail: `the answer to call ${call}: ${complaint}`.slice(0, 1_000) }));
    }
  }
  cancel(invocation: string): void {
    if (this.#pending.has(invocation)) this.#line.send({ frame: "cancel", invocation });
  }
  async close(): Promise<void> {
    // First: a line that is closed says that it is lost.
    for (const { resolve } of this.#takeAll()) resolve(ending("host_unavailable"));
    this.#line.close();
  }

  #lost(): void {
    const unbegun = ending("overloaded", { retryAfterMs: LOST_MS, detail: "the supervisor was lost before it began" });
    for (const { resolve, hasBegun } of this.#takeAll()) resolve(hasBegun ? ending("host_unavailable") : unbegun);
  }
  #takeAll(): readonly Pending[] {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    return all;
  }

  #heard(frame: Exclude<FromSupervisor, { readonly frame: "hello" | "draining" }>): void {
    const pending = this.#pending.get(frame.invocation);
    if (pending === undefined) return;
    if (frame.frame === "outcome") {
      this.#pending.delete(frame.invocation);
      pending.resolve(frame.outcome);
      return;
    }
    // A line or a call says as much as `begun` itself.
    pending.hasBegun = true;
    if (frame.frame === "line") pending.listener.line?.(frame.level, frame.text);
    else if (frame.frame === "call") {
      const { frame: _, invocation, ...call } = frame;
      pending.listener.call?.(call);
    }
  }
}
