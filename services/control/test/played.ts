// An engine played by hand: it admits runs from the inbox and appends what a test says, rightly projected unless the test says otherwise.
import { randomUUID } from "node:crypto";
import type { EngineStore, InboxRequest, Lease } from "@woml/prisma";
import {
  type Failure,
  foldAll,
  genesis,
  type NewEvent,
  type Projection,
  parseRunId,
  project,
  type RunState,
  stamp,
  timerChanges,
} from "@woml/run";

interface Played {
  readonly key: Pick<InboxRequest, "tenant" | "run">;
  state: RunState;
}

export class Player {
  readonly #store: EngineStore;
  readonly engine: string = randomUUID();
  readonly #runs = new Map<string, Played>();
  #lease: Lease | null = null;

  constructor(store: EngineStore) {
    this.#store = store;
  }

  /** Takes a run's start from the inbox and begins it, and step `first` with it. */
  async admit(id: string, first: string, over: Partial<Projection> = {}, taken: readonly NewEvent[] = []): Promise<void> {
    const begun: readonly NewEvent[] = [
      ...taken,
      { type: "run_started", data: { deadlineAt: null } },
      { type: "step_started", data: { node: first, attempt: 1 } },
    ];
    await this.#admit(id, begun, over);
  }

  /** Takes a run's start from the inbox, and the run has failed with that. */
  async refuse(id: string, failure: Failure): Promise<void> {
    const refused: readonly NewEvent[] = [
      { type: "outcome_decided", data: { status: "failed", failure } },
      { type: "run_failed", data: { failure } },
    ];
    await this.#admit(id, refused);
  }

  async #admit(id: string, then: readonly NewEvent[], over: Partial<Projection> = {}): Promise<void> {
    this.#lease ??= (await this.#store.openLease(this.engine, 60_000)).lease;
    const run = parseRunId(id);
    const request = (await this.#store.inbox(this.engine, 1_000, true)).find((one) => one.run === run && one.body.kind === "start");
    if (request?.body.kind !== "start") throw new Error(`${id} is not in the inbox`);
    const { kind: _, ...asked } = request.body;
    this.#runs.set(id, { key: { tenant: request.tenant, run: request.run }, state: genesis });
    const { workflow, version, labels } = asked;
    const events: readonly NewEvent[] = [{ type: "run_admitted", data: { ...asked, seed: "the seed" } }, ...then];
    await this.#append(id, events, { over, requests: [request.id], admission: { workflow, version, labels } });
  }

  /** What nobody has answered yet. */
  inbox(): Promise<readonly InboxRequest[]> {
    return this.#store.inbox(this.engine, 1_000, true);
  }

  async append(id: string, events: readonly NewEvent[], over: Partial<Projection> = {}): Promise<void> {
    await this.#append(id, events, { over, requests: [], admission: null });
  }

  /** The step succeeds, and the run with it. */
  async finish(id: string, node: string, output: never | object | null): Promise<void> {
    const result = output as never;
    await this.append(id, [
      { type: "step_succeeded", data: { node, attempt: 1, output: result, cpuMs: 1 } },
      { type: "outcome_decided", data: { status: "succeeded", result } },
      { type: "run_succeeded", data: { result } },
    ]);
  }

  async hold(id: string, reason: string): Promise<void> {
    const { key } = this.#played(id);
    if (!(await this.#store.hold(key, { engine: this.engine, epoch: 1 }, reason))) throw new Error(`${id} was not held`);
  }

  async close(): Promise<void> {
    await this.#lease?.release();
  }

  async #append(
    id: string,
    events: readonly NewEvent[],
    { over, requests, admission }: { over: Partial<Projection>; requests: readonly string[]; admission: Admission },
  ): Promise<void> {
    const played = this.#played(id);
    const { head, at } = played.state;
    const decidedAt = Math.max(at, Date.now());
    const guess = foldAll(stamp(events, head, decidedAt), played.state);
    const { set, cleared } = timerChanges(played.state, guess);
    const projection = { ...project(guess), ...over };
    const fence = { owner: this.engine, epoch: 1, expected: head, at: decidedAt };
    const moved = await this.#store.append({ ...played.key, ...fence, events, projection, set, cleared, requests, admission });
    if (moved === null) throw new Error(`${id} did not move`);
    played.state = foldAll(stamp(events, head, moved.at), played.state);
  }

  #played(id: string): Played {
    const played = this.#runs.get(id);
    if (!played) throw new Error(`${id} was not admitted here`);
    return played;
  }
}
type Admission = Parameters<EngineStore["append"]>[0]["admission"];
