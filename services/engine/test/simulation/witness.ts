import type { Dispatch } from "@woml/plugin-host";
import type { Append } from "@woml/prisma";
import type { MemoryRun } from "@woml/prisma/memory";
import { asRunId, asTenantId, type RunEvent, type RunKey, taskAt } from "@woml/run";
import type { Invocation } from "@woml/sandbox";
import { missing } from "./before.ts";
import { HELD } from "./effects.ts";
import { Keys, type Known, type Site } from "./known.ts";
import type { Process } from "./process.ts";
import type { Tally } from "./tally.ts";
import { MODULES } from "./wares.ts";

type Log = readonly RunEvent[];
interface Sent extends Site {
  readonly attempt: number;
  readonly process: Process;
}

interface Taking {
  readonly now: number;
  readonly isInformed: boolean;
  /** The host that took it; null where there is but one. */
  readonly host: string | null;
  /** Until when its engine has its lease, PostgreSQL's time. */
  readonly leaseUntil: number;
}

/** Sees every frame as it leaves an engine, and judges it by what is committed at that moment, and known to that engine to be. */
export class Witness {
  readonly broken: string[] = [];
  readonly #keys: Keys;
  /** Which engine sent an attempt; a resumed attempt is another. */
  readonly #sent = new Map<string, string>();
  readonly #seen = new Set<string>();
  /** Frames by invocation, and what the calls of an attempt were told. */
  readonly #frames = new Map<string, Sent>();
  readonly #told = new Map<string, string>();
  /** What hosts have taken, by which of them. */
  readonly #taken = new Map<string, string | null>();
  readonly #row: (key: RunKey) => MemoryRun | null;

  readonly #tally: Tally;

  constructor(row: (key: RunKey) => MemoryRun | null, tally: Tally) {
    this.#row = row;
    this.#keys = new Keys(row);
    this.#tally = tally;
  }
  know(run: Known): void {
    this.#keys.know(run);
  }
  /** Answers what the frame is called here. */
  frame(process: Process, { invocation, attempt, tenant, modules = [] }: Invocation): string {
    const engine = process.engine ?? "";
    const told: { number: number; idempotencyKey: string } = JSON.parse(attempt);
    const step = this.#keys.find(told.idempotencyKey, process.told);
    if (step === undefined) return this.#blame("a frame for nothing that has begun");
    const name = `${step.run.run} ${step.node} attempt ${told.number}`;
    this.#frames.set(invocation, { ...step, attempt: told.number, process });
    const row = this.#row(step.run);
    const log = row?.events.slice(0, process.told.get(step.run.run) ?? 0) ?? [];
    const imports = taskAt(step.run.graph, step.node).script.modules ?? [];
    if (modules.length !== imports.length || modules.some(({ digest }, at) => digest !== imports[at]?.digest))
      this.#blame(`${name} was not sent what it imports`);
    if (modules.some(({ digest, text }) => MODULES.get(digest) !== text)) this.#blame(`${name} was sent another module than was published`);
    if (modules.length > 0) this.#tally.hit("sent with a module");
    if (step.run.tenant !== tenant) this.#blame(`${name} was sent for another tenant`);
    if (process.time.now >= process.leaseUntil) this.#blame(`${name} was sent after the lease had ended`);
    for (const one of missing(step, log)) this.#blame(`${name} was sent before it knew that ${one} was committed`);
    const started = log.findLastIndex(
      ({ type, data }) =>
        STARTS.has(type) && "node" in data && data.node === step.node && "attempt" in data && data.attempt === told.number,
    );
    if (started < 0) return this.#blame(`${name} was sent before it knew that its start was committed`);
    const since = log.slice(started).filter(({ data }) => "node" in data && data.node === step.node);
    if (row?.owner === engine && since.some(({ type }) => ENDS.has(type))) this.#blame(`${name} was sent after it had ended`);
    const resumes = since.filter(({ type }) => type === "attempt_resumed").length;
    // An engine that has lost the run and cannot know it yet sends what it knows of, which can have no effect.
    const flight = row?.owner === engine ? `${name} resumed ${resumes}` : `${name} by ${engine}, which has lost it, at ${process.time.now}`;
    const before = this.#sent.get(flight);
    if (before !== undefined) this.#blame(`${flight} was sent twice, by ${before} and ${engine}`);
    this.#sent.set(flight, engine);
    this.#seen.add(`${name} resumed ${resumes}`);
    return flight;
  }
  /** An answer on its way to a script: it is committed, its engine knows that, and it is the same in every execution. */
  answer(invocation: string, { call, text }: { readonly call: number; readonly text: string }): void {
    const sent = this.#frames.get(invocation);
    if (sent === undefined) return void this.#blame("an answer for no known frame");
    const { run, node, attempt, process } = sent;
    const name = `${run.run} ${node} attempt ${attempt} call ${call}`;
    const log = this.#row(run)?.events.slice(0, process.told.get(run.run) ?? 0) ?? [];
    const isCommitted = log.some((event) => answers(event, { node, attempt, call }));
    if (!isCommitted) this.#blame(`${name} was answered before it knew that the answer was committed`);
    const before = this.#told.get(name);
    if (before !== undefined && before !== text) this.#blame(`${name} was told ${before}, and then ${text}`);
    this.#told.set(name, text);
  }
  /**
   * A dispatch as the host gives it to the plugin; `now` is PostgreSQL's time. `isInformed`: the host has been told what time it is; one
   * that has just begun, and hears from an engine that stood still, has not. Nobody can have judged that engine's dispatches elsewhere.
   */
  taken(dispatch: Dispatch, { now, isInformed, host, leaseUntil }: Taking): void {
    const { tenant, run, epoch, key, attempt, try: tried, notAfter, effect } = dispatch;
    const name = nameOf(dispatch);
    const row = this.#row({ tenant: asTenantId(tenant), run: asRunId(run) });
    const log = (row?.events ?? []).filter(
      ({ type, data }) => type.startsWith("operation_") && "attempt" in data && data.attempt === attempt,
    );
    const started = log.find(({ type, data }) => type === "operation_started" && data.key === key && data.try === tried);
    if (started?.type !== "operation_started") return void this.#blame(`${name} was taken before its start was committed`);
    const { node, call, reused } = started.data;
    if ((started.data.host ?? null) !== host) this.#blame(`${name} was taken by ${host}, and was to go to ${started.data.host}`);
    const since = log.filter(({ seq, data }) => seq > started.seq && "call" in data && data.node === node && data.call === call);
    const until = reachOf(since);
    if (until !== null && until < Number.POSITIVE_INFINITY) this.#tally.hit("taken after its host was said to be out of reach");
    // What has no effect is performed again while whoever had it may still dispatch it: it may come late, to a host that has just begun too.
    const isHarmless = effect === "pure";
    if (until === null && !isHarmless) this.#blame(`${name} was taken after ${since.map(({ type }) => type)}`);
    else if (until !== null && now + dispatch.timeoutMs > until)
      this.#blame(`${name} was taken, and may run ${now + dispatch.timeoutMs - until} ms too long`);
    if (reused !== null) this.#blame(`${name} was taken, though an earlier attempt had performed it`);
    if (row?.events.some(({ type, data }) => type === "effect_inherited" && data.key === key))
      this.#blame(`${name} was taken, though an earlier run had performed it`);
    if ((isInformed || host !== null) && now > notAfter + CLOCK_BOUND_MS) this.#blame(`${name} was taken ${now - notAfter} ms too late`);
    if (notAfter > leaseUntil + CLOCK_BOUND_MS) this.#blame(`${name} could be taken after its engine's lease`);
    if (epoch > (row?.epoch ?? 0)) this.#blame(`${name} was taken with an epoch that nobody has`);
    if (effect !== "pure" && this.#taken.has(name)) this.#blame(`${name} was taken twice`);
    this.#taken.set(name, host);
  }
  /** Tries in a finished log that are said not to have been sent, and were taken. */
  unsent({ run, events }: MemoryRun): readonly string[] {
    const keys = new Map<string, string>();
    return events.flatMap(({ type, data }) => {
      if (type === "operation_started" && data.called !== null && data.called.effect.class !== "pure")
        keys.set(`${data.node} ${data.attempt} ${data.call}`, data.key);
      if (type !== "operation_doubted" || data.reason !== "unsent") return [];
      const key = keys.get(`${data.node} ${data.attempt} ${data.call}`);
      const name = key === undefined ? "" : nameOf({ run, attempt: data.attempt, key, try: data.try });
      return this.#taken.has(name) ? [`says that ${name} was not sent`] : [];
    });
  }
  /** Looks before an append lands; what it answers is called if the store takes it. */
  lands(wanted: Append): () => void {
    const row = this.#row(wanted);
    const isRightful = row === null ? wanted.expected === 0 : row.owner === wanted.owner && row.head === wanted.expected;
    return () => void (isRightful || this.#blame(`${wanted.run} was moved by ${wanted.owner}, which does not stand where it says`));
  }
  /** Resumes in a finished log that say the sandbox lost an attempt of which no frame was ever seen. */
  unfounded({ run, events }: MemoryRun): readonly string[] {
    const resumes = new Map<string, number>();
    return events.flatMap(({ type, data }) => {
      if (type !== "attempt_resumed") return [];
      const name = `${run} ${data.node} attempt ${data.attempt}`;
      const before = resumes.get(name) ?? 0;
      resumes.set(name, before + 1);
      return data.lost === "engine" || data.lost === null || this.#seen.has(`${name} resumed ${before}`)
        ? []
        : [`says that ${name} was lost without having been sent`];
    });
  }
  /** Nothing of it ran: it may be sent again. */
  refused(flight: string): void {
    this.#sent.delete(flight);
  }
  #blame(what: string): string {
    this.broken.push(what);
    return what;
  }
}

/** How far the host's clock may stand behind PostgreSQL's, which may have been set in between. */
const CLOCK_BOUND_MS = 1_000;
const STARTS: ReadonlySet<string> = new Set(["step_started", "action_started"]);
const ENDS: ReadonlySet<string> = new Set(["step_succeeded", "step_failed", "step_cancelled", "action_settled"]);

function answers({ type, data }: RunEvent, of: { readonly node: string; readonly attempt: number; readonly call: number }): boolean {
  if (type !== "operation_settled" && type !== "operation_refused" && type !== "outcome_resolved") return false;
  return data.node === of.node && data.attempt === of.attempt && data.call === of.call;
}

function nameOf({ run, attempt, key, try: tried }: Pick<Dispatch, "run" | "attempt" | "key" | "try">): string {
  return `${run} attempt ${attempt} key ${key.slice(0, 8)} try ${tried}`;
}

/** Until when a dispatch may run of which so much was said since its start; null: nothing of it may be taken any more. */
function reachOf(since: Log): number | null {
  const [first] = since.filter((event) => !isAbandoned(event));
  if (first === undefined) return Number.POSITIVE_INFINITY;
  return first.type === "operation_doubted" ? (first.data.runsUntil ?? null) : null;
}

/** Nobody hears any more of what a held run had begun when it was cancelled. */
function isAbandoned({ type, data }: RunEvent): boolean {
  return type === "operation_settled" && data.evidence === HELD;
}
