import type { EngineStore, Lease, LoadedRun } from "@woml/prisma";
import type { RunKey } from "@woml/run";
import type { Sandbox } from "@woml/sandbox";
import { LEASE_MS, type Process } from "./process.ts";

const done =
  <T>(process: Process, name: string, isDone: (answer: T) => boolean, then: (answer: T) => void = () => undefined) =>
  (answer: T): T => {
    if (!isDone(answer)) return answer;
    process.tally.hit(`${name}: done`);
    then(answer);
    return answer;
  };

const isThere = (run: LoadedRun | null): boolean => run !== null;

/** A store at the other end of a connection that fails as connections do. */
export function distantStore(process: Process, store: EngineStore, claimed: (runs: readonly RunKey[]) => void): EngineStore {
  return {
    openLease: async (engine, leaseMs) => {
      const sent = process.time.now;
      process.engine = engine;
      const opened = await process.call("openLease", () => store.openLease(engine, leaseMs));
      process.leaseUntil = sent + LEASE_MS;
      return { at: opened.at, lease: distantLease(process, opened.lease) };
    },
    fence: (engine) => process.call("fence", () => store.fence(engine)),
    claim: (engine, limit) =>
      process.call("claim", () =>
        store.claim(engine, limit).then(done(process, "claim", (runs: readonly LoadedRun[]) => runs.length > 0, claimed)),
      ),
    due: (engine, limit) => process.call("due", () => store.due(engine, limit)),
    claimHeld: (engine, key) => process.call("claimHeld", () => store.claimHeld(engine, key).then(done(process, "claimHeld", isThere))),
    inbox: (engine, limit, starts) => process.call("inbox", () => store.inbox(engine, limit, starts)),
    load: (key) => process.call("load", () => store.load(key)),
    definitions: (wanted) => process.call("definitions", () => store.definitions(wanted)),
    append: (wanted) => process.call("append", () => store.append(wanted), null),
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
      (resolve) => void lease.lost.then(() => process.time.after(process.chance.between(0, 500), () => process.deliver(resolve))),
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
export function distantSandbox(process: Process, sandbox: Sandbox, seen: (invocation: Parameters<Sandbox["invoke"]>[0]) => void): Sandbox {
  return {
    layers: sandbox.layers,
    invoke: (invocation) => {
      seen(invocation);
      return process.call("invoke", () => sandbox.invoke(invocation), { outcome: "host_unavailable", cpuMs: 0, ms: 0 });
    },
    cancel: (invocation) => sandbox.cancel(invocation),
    close: () => sandbox.close(),
  };
}
