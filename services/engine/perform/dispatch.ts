import type { Invocation, Listener, ScriptOutcome as Outcome } from "@woml/sandbox";
import type { World } from "../engine.ts";

/** One script that is due. */
export interface Task {
  readonly tenant: string;
  /** How long it waits before its first turn. */
  readonly pauseMs: number;
  /** Made when its turn has come, so that what waits holds no context. null: there is nothing to send, the task has dealt with itself. */
  readonly frame: () => Omit<Invocation, "invocation"> | null;
  /** Called for each invocation with its name, before it leaves: who listens to it; `begun` is called in the turn in which it has left. */
  readonly converse?: (invocation: string) => { readonly listener: Listener; readonly begun: () => void };
  /** Called once, unless cancelled before. Never with `overloaded`. */
  readonly heard: (outcome: Outcome) => void;
}
export interface Dispatch {
  /** Answers a function that takes the task back: no frame is sent any more, one in flight is cancelled, nothing is heard. */
  send(task: Task): () => void;
  /** Sends nothing from now on; what is in flight goes on. */
  close(): void;
  readonly inFlight: number;
}

const RETRY_MS = 50;
const LOST: Outcome = { outcome: "host_unavailable", cpuMs: 0, ms: 0 };

/**
 * Invariants:
 * 1. Frames leave only while `alive` says so, asked in the same turn of the event loop that hands the frame over.
 * 2. A task is in flight at most once; it is sent again only after `overloaded`, which says that nothing ran.
 * 3. At most `window` invocations are in flight, `tenantWindow` of one tenant, and tenants take turns.
 */
export function openDispatch(
  world: Pick<World, "sandbox" | "alarm" | "mint">,
  alive: () => boolean,
  bounds: { readonly window: number; readonly tenantWindow: number },
): Dispatch {
  const lines = new Map<string, { readonly tasks: Set<Task>; flying: number }>();
  const takenBack = new WeakMap<Task, () => void>();
  let flying = 0;
  let closed = false;

  const join = (task: Task): void => {
    const line = lines.get(task.tenant) ?? { tasks: new Set<Task>(), flying: 0 };
    lines.set(task.tenant, line);
    line.tasks.add(task);
    takenBack.set(task, () => void line.tasks.delete(task));
    drain();
  };
  const later = (task: Task, delayMs: number): void =>
    void takenBack.set(
      task,
      world.alarm(delayMs, () => join(task)),
    );

  /** One task of each tenant a round, until the window is full or every line is empty or at its bound. */
  const drain = (): void => {
    let sent = true;
    while (sent) {
      sent = false;
      for (const [tenant, line] of [...lines]) {
        if (closed || flying >= bounds.window || !alive()) return;
        const [task] = line.tasks;
        if (task === undefined && line.flying === 0) lines.delete(tenant);
        if (task === undefined || line.flying >= bounds.tenantWindow) continue;
        line.tasks.delete(task);
        lines.delete(tenant);
        lines.set(tenant, line);
        launch(task, line);
        sent = true;
      }
    }
  };
  const launch = (task: Task, line: { flying: number }): void => {
    const frame = task.frame();
    if (frame === null) return;
    const invocation = world.mint();
    let wanted = true;
    takenBack.set(task, () => {
      wanted = false;
      world.sandbox.cancel(invocation);
    });
    flying += 1;
    line.flying += 1;
    const landed = (outcome: Outcome): void => {
      flying -= 1;
      line.flying -= 1;
      if (wanted && outcome.outcome === "overloaded") later(task, Math.max(1, outcome.retryAfterMs ?? RETRY_MS));
      else if (wanted) task.heard(outcome);
      drain();
    };
    const talk = task.converse?.(invocation);
    world.sandbox.invoke({ ...frame, invocation }, talk?.listener).then(landed, () => landed(LOST));
    talk?.begun();
  };
  return {
    send: (task) => {
      if (task.pauseMs > 0) later(task, task.pauseMs);
      else join(task);
      return () => takenBack.get(task)?.();
    },
    close: () => {
      closed = true;
    },
    get inFlight() {
      return flying;
    },
  };
}
