import type { Json } from "@woml/model";
import type {
  NewEvent,
  Outcome,
  ParentCall,
  Projection,
  ResumedFrom,
  RunEvent,
  RunId,
  RunKey,
  SignalFrom,
  TenantId,
  Timer,
  TimerKey,
  Verdict,
} from "@woml/run";
import type { Allowance } from "./allowance.ts";
import type { SpentQuota } from "./lane.ts";
import type { Announcement, NewDelivery, Subscriber } from "./trigger.ts";

/** One run's next events, all or nothing. */
export interface Append extends RunKey {
  /**
   * The fence: the run's row must still be owned so and stand at `expected`, else nothing of this is written. A fenced engine admits
   * nothing.
   */
  readonly owner: string;
  readonly epoch: number;
  readonly expected: number;
  /** PostgreSQL's time, as the engine knew it when it decided: that of these events, unless the run's last one is later. */
  readonly at: number;
  readonly events: readonly NewEvent[];
  readonly projection: Projection;
  /** A timer key is set or cleared once in an append, never both. */
  readonly set: readonly Timer[];
  readonly cleared: readonly TimerKey[];
  /** Ids of requests that this append consumes. */
  readonly requests: readonly string[];
  /** Only with expected = 0: the run's row is inserted by the same statement. */
  readonly admission: Admission | null;
  /** What the engine itself performs, with its events or not at all. */
  readonly own?: Own;
}
/** `begins`: it is the run's first execution start, and counts as one under a rate limit. */
interface Admission {
  readonly workflow: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly begins?: boolean;
}
/** A write into the state of the run's workflow; starts of other runs; signals of the platform's own; the run that waits for this one, told that it has ended. */
export interface Own {
  readonly write?: StateWrite;
  /** Counts only while the tenant may start all of them in this second. */
  readonly starts?: readonly ChildStart[];
  /** What became of a signal at each trigger that listens to it. */
  readonly deliveries?: readonly NewDelivery[];
  /** Each is stored where somebody listens to it. */
  readonly signals?: readonly Announcement[];
  readonly tells?: RunId;
}
/** Counts only while the key stands at `expected` (0: it is not there, and nothing above `floor` was deleted), and while there is room. */
export interface StateWrite {
  readonly key: string;
  readonly expected: number;
  readonly floor: number;
  /** Its JSON text; null deletes the key. */
  readonly value: string | null;
  readonly version: number;
  /** UTF-8 length of key and value, and how much more that is than before. */
  readonly bytes: number;
  readonly added: number;
}
/** A start as it is put into the inbox, once a scope and key. */
export interface ChildStart {
  readonly run: RunId;
  readonly scope: string;
  readonly key: string;
  /** Of what is asked. */
  readonly digest: string;
  readonly body: StartBody;
}
/** The run's new head and the time of its events: their seq and at follow. `now` is what PostgreSQL's clock said. */
export interface Moved {
  readonly head: number;
  readonly at: number;
  readonly now: number;
  /** The engine of the run that was told, to be rung. */
  readonly ring?: string;
  /** It has left its place in a lane to others. */
  readonly isPlaceFree?: boolean;
}
/** What stands under a key of a workflow's state, and what there is in all. `version` 0 and `value` null: nothing. Sizes are UTF-8. */
export interface StateEntry {
  readonly value: Json;
  readonly version: number;
  readonly bytes: number;
  readonly keys: number;
  readonly totalBytes: number;
  readonly floor: number;
}
/** A run that was asked for: what for, and what it came to. `refused`: its start was answered, and it was never admitted. */
export interface StoredChild {
  readonly digest: string;
  readonly version: string;
  readonly ended: Outcome | "refused" | null;
}

/** What a run is started with. */
export interface StartBody {
  readonly kind: "start";
  readonly workflow: string;
  readonly version: string;
  readonly trigger: { readonly kind: string; readonly id: string };
  readonly payload: Json;
  readonly labels: readonly string[];
  readonly onAmbiguous?: "fail";
  /** `traceparent` of the request that was accepted. */
  readonly trace?: string;
  /** Another run called it. */
  readonly parent?: ParentCall;
  /** A signal started it. */
  readonly signal?: SignalFrom;
  /** It resumes a run that has ended, or repeats one from the beginning. */
  readonly resumed?: ResumedFrom;
  readonly rerunOf?: string;
}
/** An unconsumed row of the inbox, oldest first. */
export type InboxRequest = RunKey & {
  readonly id: string;
  /** When it was accepted, PostgreSQL's time; of a start that is not to begin before then, when its time has come. */
  readonly createdAt: number;
  readonly body:
    | StartBody
    | { readonly kind: "cancel" }
    /** A run that this one called has ended. */
    | { readonly kind: "child_settled"; readonly child: RunId }
    /** `call: null` is about a diverged attempt; `by` is the id of the key that asked. */
    | {
        readonly kind: "resolve";
        readonly node: string;
        readonly attempt: number;
        readonly call: number | null;
        readonly expectedHead: number;
        readonly verdict: Verdict;
        readonly by: string;
      }
    /** `by` is the id of the key of whoever decided, or `token`. */
    | { readonly kind: "resolve_approval"; readonly node: string; readonly decision: "approved" | "rejected"; readonly by: string };
  /** For all but a start: what the run's row says, or null while there is none. */
  readonly status: string | null;
  /** There is no such run yet, but a start of it. */
  readonly isStarting?: boolean;
  /** A start under a rate limit. */
  readonly isRated?: boolean;
};
export interface LoadedRun extends RunKey {
  readonly workflow: string;
  readonly version: string;
  readonly status: string;
  readonly owner: string | null;
  readonly epoch: number;
  readonly claims: number;
  readonly held: string | null;
  /** It stands in line for a place. */
  readonly isLined: boolean;
  /** As the row says: how many events there are, and the time of the last. */
  readonly head: number;
  readonly at: number;
  readonly events: readonly RunEvent[];
}
/** The stored bytes of a definition (what its hash was taken over) and the source map of its version. */
export interface StoredDefinition {
  readonly text: string;
  readonly sourceMap: Json;
}
/** A plugin release: what `digest` is taken over, and its one file. */
export interface StoredRelease {
  readonly digest: string;
  readonly manifest: string;
  readonly artefact: Uint8Array;
}
/** Whether a tenant's runs may dispatch to a release at this moment; `not_approved` also when its approval names other digests. */
export type ReleaseStanding = "granted" | "not_granted" | "not_approved" | "revoked";
/** `lost` resolves when the lease's session breaks or its row is found fenced: from then on the engine dispatches nothing. */
export interface Lease {
  readonly engine: string;
  readonly lost: Promise<void>;
  /** PostgreSQL's time in epoch ms, or null when the row is fenced. */
  renew(): Promise<number | null>;
  release(): Promise<void>;
}

/** All that the engine may do to the store. Times are PostgreSQL's, in epoch milliseconds. */
export interface EngineStore {
  /** Inserts the engine's row and takes its advisory lock on a session of its own. Answers PostgreSQL's time too. */
  openLease(engine: string, leaseMs: number): Promise<{ readonly lease: Lease; readonly at: number }>;
  /** Fences every other engine whose lock is free, whose lease has run out, or that owns runs and has no row; answers which ones now. */
  fence(engine: string): Promise<readonly string[]>;
  /** The engines that are not fenced, in order of their ids. */
  peers(): Promise<readonly string[]>;
  /** Runs of anybody that are held, or that nothing will move; counted up to 10,000. */
  stuck(): Promise<number>;
  /** What of this build's migrations the database lacks, by name; [] when it is ready for it. Rejects when the database does not answer. */
  pendingMigrations(): Promise<readonly string[]>;
  /**
   * Takes runs that nobody owns or whose owner is fenced, not held, with something due or a request unconsumed, and whose claims allow
   * it (from the third claim on they wait, doubling from one second): owner, epoch + 1, claims + 1. In order, SKIP LOCKED.
   */
  claim(engine: string, limit: number): Promise<readonly LoadedRun[]>;
  /** Of own runs: that they do not move is not their fault, for they wait for a turn, a host or a lease. Their claims count no more. */
  vouch(engine: string, runs: readonly RunKey[]): Promise<void>;
  /** Own runs, not held, with next_due past, oldest first. */
  due(engine: string, limit: number): Promise<readonly RunKey[]>;
  /**
   * Takes one run that is held, or stands in line, and that nobody owns (or whose owner is fenced, or this engine does) to answer a cancel: owner,
   * epoch + 1. It stays so until an append moves it: a moved run is not held any more. null: no such run.
   */
  claimHeld(engine: string, key: RunKey): Promise<LoadedRun | null>;
  /**
   * Unconsumed requests, at most `limit`. First what is no start: of own runs, of runs not admitted yet, of ended runs, and of held ones that nobody
   * (or a fenced engine) owns, but not what those called; cancels of what stands in line; oldest first. Then starts of anybody whose time has come (left out unless `starts`: an engine
   * at its bound still cancels), by turns of the tenants: the oldest of each, then the second … Of a lane no more than there is room for; but a start
   * whose run is to be cancelled, always.
   */
  inbox(engine: string, limit: number, starts: boolean): Promise<readonly InboxRequest[]>;
  /** Counts who holds a place in lanes that are new, once nobody can have moved without seeing them: until then nobody takes one there. */
  countLanes(): Promise<void>;
  /** Writes down what tenants with a quota of it have used by appends since; answers who has used up what a minute gives. Meanwhile no start of theirs is given. */
  meter(): Promise<readonly SpentQuota[]>;
  /** When the first start may go that only a rate limit keeps back, PostgreSQL's time, if that is known; null where none is. */
  opens(): Promise<number | null>;
  /**
   * Decisions about approvals of a run that are stored and not consumed, oldest first. One that is stored later than this was asked is dated
   * later, too: of those that came in time none is missing.
   */
  decisions(key: RunKey): Promise<readonly InboxRequest[]>;
  load(key: RunKey): Promise<LoadedRun | null>;
  definitions(wanted: readonly { readonly tenant: TenantId; readonly version: string }[]): Promise<readonly (StoredDefinition | null)[]>;
  state(tenant: TenantId, workflow: string, key: string): Promise<StateEntry>;
  /** The version of a workflow that is active; null: there is none, or no such workflow. */
  active(tenant: TenantId, workflow: string): Promise<string | null>;
  /** Who starts with a signal of this name, by workflow and id, at most 1,000. */
  subscribers(tenant: TenantId, signal: string): Promise<readonly Subscriber[]>;
  /** What the tenant may start just now, of these workflows. */
  allowance(tenant: TenantId, workflows: readonly string[]): Promise<Allowance>;
  /** null: nobody asked for that run. */
  child(key: RunKey): Promise<StoredChild | null>;
  /** PostgreSQL's time up to which an engine that is fenced by now, and was not released, may still dispatch; 0 when none can. */
  fencedUntil(): Promise<number>;
  /** Without its artefact: what the engine reads of it, canonical JSON. null: not stored. */
  manifest(release: string): Promise<string | null>;
  release(digest: string): Promise<StoredRelease | null>;
  standing(tenant: TenantId, release: string): Promise<ReleaseStanding>;
  /** The secret that was set last, sealed, by which an engine finds out whether its key opens what is stored; null while there is none. */
  anySecret(): Promise<{ readonly tenant: TenantId; readonly name: string; readonly sealed: Uint8Array } | null>;
  /** Texts of modules by digest, as they are stored: nothing is hashed here. What is not stored is absent. */
  modules(tenant: TenantId, digests: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Sealed values by name (boot/envelope.ts); names that are not set are absent. */
  secrets(tenant: TenantId, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Group commit. null: reload (head or owner moved on, a lock or the time ran out, or the answer was lost: it may be durable all the same).
   * Rejects with AppendOutdated when the run stands as expected, but what it was judged by has changed: nothing is written. Rejects with NoRoom when it
   * would take up a place (`holds`, and it held none) that a lane of it has not: nothing is written but that a run that has begun is nobody's from now on,
   * epoch + 1, and stands in line: it is claimed when there is room, or its time is over. Rejects with
   * AppendRefused when this append alone can never be stored (U+0000, a lone surrogate, a value out of range).
   */
  append(wanted: Append): Promise<Moved | null>;
  /** Consumes requests without an event, saying why (RUN_ALREADY_TERMINAL). */
  answer(requests: readonly { readonly tenant: TenantId; readonly id: string; readonly answer: string }[]): Promise<void>;
  /**
   * Stops driving a run until a person or a newer version claims it: no owner, epoch + 1, next_due stays. Fenced by owner and epoch; false
   * when they no longer hold.
   */
  hold(key: RunKey, owner: { readonly engine: string; readonly epoch: number }, reason: string): Promise<boolean>;
  /** Statements that wrote, since the store was opened. */
  readonly commits: number;
  close(): Promise<void>;
}
