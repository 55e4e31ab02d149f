import type { MemoryRequest, MemoryRun } from "@woml/prisma/memory";
import { foldAll, type OperationState, operationId, type RunState, type StepState } from "@woml/run";
import type { Chance } from "./chance.ts";
import type { Provider } from "./provider.ts";
import type { Tally } from "./tally.ts";

type Said = Extract<MemoryRequest["body"], { readonly kind: "resolve" }>;
export type Decided = Extract<MemoryRequest["body"], { readonly kind: "resolve_approval" }>;
interface Parts {
  readonly provider: Provider;
  readonly chance: Chance;
  readonly tally: Tally;
  /** PostgreSQL's time. */
  readonly clock: () => number;
}

/**
 * Somebody who resolves what nobody else knows, at any moment. They look at the provider first and say what they see; only where the
 * platform promises to refuse what comes too early do they ask for it too early.
 */
export class Person {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }
  /** What they say of a run, if anything. */
  look({ events }: MemoryRun): readonly Said[] {
    const state = foldAll(events);
    if (state.stop !== null) return [];
    return state.open.flatMap((node) => {
      const step = state.steps.get(node);
      return step === undefined ? [] : [...this.#operations(state, node, step), ...this.#attempt(node, step)];
    });
  }

  /** What they say of approvals: soon, late, once more, or the opposite. */
  decide({ events }: MemoryRun): readonly Decided[] {
    const { chance, tally, clock } = this.#parts;
    return [...foldAll(events).approvals.entries()].flatMap(([node, { status, deadlineAt }]): Decided[] => {
      const isLate = deadlineAt !== null && clock() >= deadlineAt;
      if (!chance.hit(status !== "waiting" ? 0.05 : isLate ? 0.8 : 0.3)) return [];
      if (status === "waiting" && isLate) tally.hit("decided late");
      return [{ kind: "resolve_approval", node, decision: chance.pick(["approved", "rejected"]), by: "someone" }];
    });
  }

  #operations(state: RunState, node: string, { attempt, unknown }: StepState): readonly Said[] {
    return unknown.flatMap((call) => {
      const operation = state.operations.get(operationId(node, attempt, call));
      const verdict = operation === undefined ? null : this.#verdict(operation);
      if (operation === undefined || verdict === null) return [];
      // Sometimes the page they look at is an old one.
      const expectedHead = this.#parts.chance.hit(0.1) ? operation.head - 1 : operation.head;
      return [{ ...SOMEONE, node, attempt, call, expectedHead, verdict }];
    });
  }

  #verdict({ key, called, runsUntil }: OperationState): Said["verdict"] | null {
    const { provider, chance, clock } = this.#parts;
    const done = provider.done(key);
    if (done !== undefined) return { status: "succeeded", result: done };
    if (clock() < (runsUntil ?? 0)) return chance.hit(0.5) ? chance.pick([{ status: "retry" }, NOT_DONE]) : null;
    const isProtected = (called?.effect.conclusiveNotFoundAfterMs ?? null) !== null;
    if (provider.isComing(key)) return isProtected && chance.hit(0.5) ? { status: "retry" } : null;
    return chance.hit(0.5) ? { status: "retry" } : NOT_DONE;
  }

  #attempt(node: string, { attempt, diverged, pending, unknown, head }: StepState): readonly Said[] {
    if (diverged === null || pending.length > 0 || unknown.length > 0) return [];
    const verdict = this.#parts.chance.pick([
      { status: "succeeded", result: true },
      { status: "failed", message: "leave it" },
      { status: "retry" },
    ] as const);
    return [{ ...SOMEONE, node, attempt, call: null, expectedHead: head, verdict }];
  }
}

const NOT_DONE = { status: "failed", message: "it was not done" } as const;
const SOMEONE = { kind: "resolve", by: "someone" } as const;
