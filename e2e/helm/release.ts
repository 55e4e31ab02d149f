// A release as Helm would install it: hooks of before, then what it is made of, then its test; all as processes here, over a PostgreSQL and a
// Redis of its own.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookOf, type Manifest, type Pod, podsOf } from "./manifest.ts";
import { type Running, type Secrets, startPod, type wayToPlay } from "./pods.ts";
import { openServices } from "./services.ts";

export interface ReleaseOptions {
  readonly manifests: readonly Manifest[];
  readonly secrets: Secrets;
  readonly folder: string;
  readonly way: NonNullable<ReturnType<typeof wayToPlay>>;
}
interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly ms: number;
}
export interface Release {
  readonly pods: readonly Running[];
  /** `host:port` of control's service. */
  readonly control: string;
  /** Runs a hook's pod to its end: "pre-install", "test". */
  hook(name: string): Promise<Ended>;
  /** Starts every Deployment's replicas; resolves when all are ready, with how long the slowest took. Rejects with what a pod said. */
  install(): Promise<number>;
  /** `woml ARGS` in the environment of a role's pod, as `kubectl exec` has it. */
  exec(role: string, args: readonly string[]): Promise<Ended>;
  /** Replaces a role's pods one after the other, as a rollout does: a new one is ready before an old one is told to end. Answers how they ended. */
  roll(role: string): Promise<readonly (number | null)[]>;
  /** A pod's replica is taken out of its services: told to end, a cluster does that first. */
  leave(): void;
  /** All that its pods have written. */
  logs(): string;
  close(): Promise<void>;
}

/** Two of them at once on one machine do not meet. */
const NET = 1 + (process.pid % 250);

export async function openRelease({ manifests, secrets, folder, way }: ReleaseOptions): Promise<Release> {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const hosts = join(folder, "hosts");
  writeFileSync(hosts, "127.0.0.1 localhost\n", { mode: 0o644 });
  const running: Running[] = [];
  const all: Running[] = [];
  const logs: string[] = [];
  const services = await openServices({ manifests, hosts, address: (nth) => `127.2.${NET}.${nth}`, pods: () => running });
  const start = (pod: Pod, name: string, args?: readonly string[]): Running => {
    const log = join(folder, `${name}.log`);
    // What is run in a pod by hand writes to whoever runs it.
    if (args === undefined) logs.push(log);
    const one = startPod({ name, pod, ip: `127.1.${NET}.${all.length + 1}`, secrets, hosts, log, ...(args && { args }) }, way);
    all.push(one);
    return one;
  };
  const toItsEnd = async (pod: Pod | undefined, name: string, args?: readonly string[]): Promise<Ended> => {
    if (pod === undefined) throw new Error(`There is no pod for ${name}.`);
    const began = performance.now();
    const one = start(pod, `${name}-${all.length + 1}`, args);
    const code = await one.ended;
    return { code, said: readLog(one.name), ms: Math.round(performance.now() - began) };
  };
  const deployed = podsOf(manifests).filter(({ of }) => of.kind === "Deployment");
  const joined = async (one: Running): Promise<number> => {
    const ms = await one.ready().catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : String(error)}: ${readLog(one.name).slice(-1_500)}`);
    });
    services.changed();
    return ms;
  };
  const readLog = (name: string): string => readFileSync(join(folder, `${name}.log`), "utf8");
  return {
    pods: running,
    control: [...services.places.values()][0] ?? "",
    hook: (name) =>
      toItsEnd(
        podsOf(manifests).find(({ of }) => hookOf(of)?.split(",").includes(name)),
        name,
      ),
    exec: (role, args) =>
      toItsEnd(
        podsOf(manifests).find((pod) => pod.role === role),
        "exec",
        args,
      ),
    install: async () => {
      for (const pod of deployed) for (let nth = 1; nth <= pod.replicas; nth++) running.push(start(pod, `${pod.role}-${nth}`));
      return Math.max(...(await Promise.all(running.map(joined))));
    },
    roll: async (role) => {
      const codes: (number | null)[] = [];
      for (const old of running.filter((one) => one.role === role)) {
        const fresh = deployed.filter((pod) => pod.role === role).map((pod) => start(pod, `${old.name}-new`));
        running.push(...fresh);
        await Promise.all(fresh.map(joined));
        const gone = old.stop();
        services.changed();
        codes.push(await gone);
        running.splice(running.indexOf(old), 1);
      }
      return codes;
    },
    leave: services.changed,
    logs: () => [...new Set(logs)].map((path) => readFileSync(path, "utf8")).join("\n"),
    close: async () => {
      for (const one of all) one.kill();
      await Promise.all(all.map(({ ended }) => ended));
      await services.close();
    },
  };
}
