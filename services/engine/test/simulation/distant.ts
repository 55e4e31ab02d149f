import type { Append, EngineStore, Lease, LoadedRun, Moved } from "@woml/prisma";
import type { RunKey } from "@woml/run";
import type { Invocation, Sandbox, ScriptCall, ScriptOutcome } from "@woml/sandbox";
import { LEASE_MS, type Process } from "./process.ts";

const done =
  <T>(process: Process, name: string, isDone: (answer: T) => boolean, then: (answer: T) => void = () => undefined) =>
  (answer: T): T => {
    if (!isDone(answer)) return answer;
    process.tally.hit(`${name}: done`);
    then(answer);
    return answer;
  };

/** A store at the other end of a connection that fails as connections do. */
export function distantStore(
  process: Process,
  store: EngineStore,
  seen: { readonly claimed: (runs: readonly RunKey[]) => void; readonly lands: (wanted: Append) => () => void },
): EngineStore {
  const told = <T extends LoadedRun | null>(run: T): T => {
    if (run !== null) process.told.set(run.run, run.events.length);
    return run;
  };
  return {
    openLease: async (engine, leaseMs) => {
      const sent = process.time.now;
      process.engine = engine;
      const opened = await process.call("openLease", () => store.openLease(engine, leaseMs));
      process.leaseUntil = sent + LEASE_MS;
      return { at: opened.at, lease: distantLease(process, opened.lease) };
    },
    fence: (engine) => process.call("fence", () => store.fence(engine)),
    stuck: () => store.stuck(),
    peers: () => process.call("peers", () => store.peers()),
    claim: async (engine, limit) => {
      const isSome = (runs: readonly LoadedRun[]): boolean => runs.length > 0;
      const claimed = await process.call("claim", () => store.claim(engine, limit).then(done(process, "claim", isSome, seen.claimed)));
      return claimed.map(told);
    },
    vouch: (engine, runs) => process.call("vouch", () => store.vouch(engine, runs)),
    due: (engine, limit) => process.call("due", () => store.due(engine, limit)),
    claimHeld: async (engine, key) => {
      const claim = (): Promise<LoadedRun | null> => store.claimHeld(engine, key);
      return told(await process.call("claimHeld", () => claim().then(done(process, "claimHeld", (run: LoadedRun | null) => run !== null))));
    },
    decisions: (key) => process.call("decisions", () => store.decisions(key)),
    inbox: (engine, limit, starts) => process.call("inbox", () => store.inbox(engine, limit, starts)),
    countLanes: () => store.countLanes(),
    meter: () => store.meter(),
    opens: () => process.call("opens", () => store.opens()),
    load: async (key) => told(await process.call("load", () => store.load(key))),
    definitions: (wanted) => process.call("definitions", () => store.definitions(wanted)),
    append: async (wanted) => {
      const land = async (): Promise<Moved | null> => {
        const taken = seen.lands(wanted);
        const moved = await store.append(wanted);
        if (moved !== null) taken();
        return moved;
      };
      const moved = await process.call("append", land, null);
      if (moved !== null) process.told.set(wanted.run, moved.head);
      return moved;
    },
    fencedUntil: () => process.call("fencedUntil", () => store.fencedUntil()),
    manifest: (release) => process.call("manifest", () => store.manifest(release)),
    release: (digest) => process.call("release", () => store.release(digest)),
    standing: (tenant, release) => process.call("standing", () => store.standing(tenant, release)),
    anySecret: () => process.call("anySecret", () => store.anySecret()),
    pendingMigrations: () => process.call("pendingMigrations", () => store.pendingMigrations()),
    modules: (tenant, digests) => process.call("modules", () => store.modules(tenant, digests)),
    state: (tenant, workflow, key) => process.call("state", () => store.state(tenant, workflow, key)),
    active: (tenant, workflow) => process.call("active", () => store.active(tenant, workflow)),
    subscribers: (tenant, signal) => process.call("subscribers", () => store.subscribers(tenant, signal)),
    allowance: (tenant, workflows) => process.call("allowance", () => store.allowance(tenant, workflows)),
    child: (key) => process.call("child", () => store.child(key)),
    secrets: (tenant, names) => process.call("secrets", () => store.secrets(tenant, names)),
    answer: (requests) => process.call("answer", () => store.answer(requests)),
    hold: (key, owner, reason) =>
      process.call("hold", () => store.hold(key, owner, reason).then(done(process, "hold", (isHeld) => isHeld))),
    get commits() {
      return store.commits;
    },
    close: () => store.close(),
  };
}

function distantLease(process: Process, lease: Lease): Lease {
  return {
    engine: lease.engine,
    lost: new Promise(
      (resolve) => void lease.lost.then(() => process.time.after(process.chance.between(0, 3_000), () => process.deliver(resolve))),
    ),
    renew: async () => {
      const sent = process.time.now;
      const at = await process.call("renew", () => lease.renew());
      if (at !== null) process.leaseUntil = sent + LEASE_MS;
      return at;
    },
    release: () => process.call("release", () => lease.release()),
  };
}

/** A sandbox at the other end of a connection: frames are seen as they leave. */
export function distantSandbox(
  process: Process,
  sandbox: Sandbox,
  seen: {
    readonly frame: (invocation: Invocation) => void;
    readonly over: (invocation: Invocation, outcome: ScriptOutcome) => void;
    readonly answer: (...told: Parameters<Sandbox["answer"]>) => void;
  },
): Sandbox {
  return {
    layers: sandbox.layers,
    invoke: (invocation, listener = {}) => {
      seen.frame(invocation);
      const heard = { ...listener, call: (call: ScriptCall) => process.deliver(() => listener.call?.(call)) };
      const run = async (): Promise<ScriptOutcome> => {
        const outcome = await sandbox.invoke(invocation, heard);
        seen.over(invocation, outcome);
        return outcome;
      };
      return process.call("invoke", run, { outcome: "host_unavailable", cpuMs: 0, ms: 0 });
    },
    answer: (invocation, answer) => {
      seen.answer(invocation, answer);
      process.time.after(3, () => sandbox.answer(invocation, answer));
    },
    cancel: (invocation) => sandbox.cancel(invocation),
    close: () => sandbox.close(),
  };
}
