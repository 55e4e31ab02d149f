// One rendered pod as a process of this machine: an address of its own for a network namespace, a mount namespace with the names of services,
// a /tmp of its own and, as root, a read-only root under the rendered user without a capability. The image's entrypoint `woml` is played by
// the command line of this checkout, with the environment that the image sets and the pod's, and no other.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../support/platform.ts";
import type { Container, Env, Pod, Probe } from "./manifest.ts";

/** name → key → text: what an operator has made in the namespace, and may still make. */
export type Secrets = Map<string, Readonly<Record<string, string>>>;
export interface PodOptions {
  readonly name: string;
  readonly pod: Pod;
  readonly ip: string;
  readonly secrets: Secrets;
  /** The file that becomes /etc/hosts. */
  readonly hosts: string;
  /** All that it writes goes here. */
  readonly log: string;
  /** Instead of the rendered ones: what `kubectl exec` would run in it. */
  readonly args?: readonly string[];
}
export interface Running {
  readonly name: string;
  readonly role: string;
  readonly ip: string;
  readonly isReady: boolean;
  /** Resolves when it has ended; null: by a signal. */
  readonly ended: Promise<number | null>;
  /** Resolves, with how long it took, once startup and readiness probes hold. Rejects where they do not, as a kubelet would see it. */
  ready(): Promise<number>;
  probe(which: "readinessProbe" | "livenessProbe"): Promise<Probed>;
  /** SIGTERM, and SIGKILL after terminationGracePeriodSeconds. */
  stop(): Promise<number | null>;
  kill(): void;
}
interface Probed {
  readonly status: number;
  readonly text: string;
}

/** As the Dockerfile sets it. */
const IMAGE_ENV = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  NODE_ENV: "production",
  NODE_DISABLE_COMPILE_CACHE: "1",
};
const AT = "/mnt";
const NODE = process.execPath.startsWith(`${ROOT}/`) ? join(AT, process.execPath.slice(ROOT.length)) : process.execPath;
const ENTRYPOINT = [NODE, "--disable-warning=ExperimentalWarning", join(AT, "sdk/cli/main.ts")];
const STARTUP_STEP_MS = 250;

/** The checkout is bound before /tmp is covered: it may lie there. */
const MOUNTS = `set -e; hosts=$1; root=$2; size=$3; shift 3
mount --bind "$hosts" /etc/hosts
mount --rbind "$root" ${AT}
mount -t tmpfs -o "size=$size,mode=1777" tmpfs /tmp`;
const AS_ROOT = `${MOUNTS}
mount -o remount,bind,ro ${AT}
mount -o remount,bind,ro /
user=$1; shift; cd ${AT}
exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;
const AS_USER = `${MOUNTS}
shift; cd ${AT}; exec "$@"`;

interface Way {
  readonly unshare: readonly string[];
  readonly script: string;
  readonly says: string;
}
const WAYS: readonly Way[] = [
  {
    unshare: ["--mount", "--propagation", "private"],
    script: AS_ROOT,
    says: "the rendered user over a read-only root, without capabilities",
  },
  {
    unshare: ["--map-root-user", "--mount", "--propagation", "private"],
    script: AS_USER,
    says: "this user, with /etc/hosts and /tmp of its own",
  },
];

/** How pods can be played on this machine, or null: names of services need a mount namespace. */
export function wayToPlay(): Way | null {
  const works = ({ unshare, script }: Way): boolean =>
    spawnSync("unshare", [...unshare, "sh", "-c", script, "sh", "/etc/hosts", ROOT, "1m", "10001", "true"]).status === 0;
  return WAYS.find(works) ?? null;
}

/** Throws where a Secret or a key of it is not there: a kubelet would wait for it for ever. */
export function startPod(options: PodOptions, { unshare, script }: Way): Running {
  const { name, pod, ip, hosts, log } = options;
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error(`${name} has no container.`);
  const size = pod.spec.volumes?.find(({ emptyDir }) => emptyDir !== undefined)?.emptyDir?.sizeLimit?.replace(/i$/, "") ?? "64M";
  const user = String(pod.spec.securityContext?.runAsUser ?? 0);
  const argv = [...unshare, "sh", "-c", script, "sh", hosts, ROOT, size, user, ...ENTRYPOINT, ...(options.args ?? container.args ?? [])];
  const out = openSync(log, "a");
  const env = { ...IMAGE_ENV, ...environmentOf(container, options) };
  const child = spawn("unshare", argv, { env, stdio: ["ignore", out, out] });
  closeSync(out);
  return running(child, { name, pod, container, ip });
}

function environmentOf({ env = [] }: Container, { secrets, ip, name }: PodOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(env.map((one) => [one.name, listening(one.name, textOf(one, secrets, name), ip)]));
}

function textOf({ name, value, valueFrom }: Env, secrets: Secrets, pod: string): string {
  const from = valueFrom?.secretKeyRef;
  const text = from === undefined ? value : secrets.get(from.name)?.[from.key];
  if (text === undefined) throw new Error(`${pod} waits for the Secret ${from?.name} with the key ${from?.key}, for ${name}.`);
  return text;
}

/** In a network namespace of its own "any address" is the pod's. */
function listening(name: string, text: string, ip: string): string {
  return name.endsWith("_LISTEN") ? text.replace(/^(0\.0\.0\.0|\[::\]):/, `${ip}:`) : text;
}

interface Life {
  readonly name: string;
  readonly pod: Pod;
  readonly container: Container;
  readonly ip: string;
}

function running(child: ChildProcess, { name, pod, container, ip }: Life): Running {
  let isReady = false;
  const gone = once(child, "exit").then(([code]): number | null => code);
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const began = performance.now();
  const until = async (probe: Probe | undefined, stepMs: number): Promise<void> => {
    const tries = Math.ceil(((probe?.failureThreshold ?? 3) * (probe?.periodSeconds ?? 10) * 1_000) / stepMs);
    for (let nth = 1; ; nth++) {
      const { status, text } = await ask(probe, container, ip).catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (status >= 200 && status < 400) return;
      if (isGone()) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode} before it was ready`);
      if (nth >= tries) throw new Error(`${name} answers ${probe?.httpGet?.path} with ${status} ${text.trim()}`);
      await sleep(stepMs);
    }
  };
  return {
    ...{ name, role: pod.role, ip, ended: gone },
    get isReady() {
      return isReady && !isGone();
    },
    ready: async () => {
      await until(container.startupProbe, STARTUP_STEP_MS);
      // A kubelet goes on asking for ever; so long a wait as for the start is enough to say that it is stuck.
      await until({ ...container.readinessProbe, periodSeconds: 120, failureThreshold: 1 }, STARTUP_STEP_MS);
      isReady = true;
      return Math.round(performance.now() - began);
    },
    probe: (which) => ask(container[which], container, ip),
    stop: async () => {
      isReady = false;
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), (pod.spec.terminationGracePeriodSeconds ?? 30) * 1_000);
      const code = await gone;
      clearTimeout(late);
      return code;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

async function ask(probe: Probe | undefined, { ports = [] }: Container, ip: string): Promise<Probed> {
  const { path = "", port } = probe?.httpGet ?? {};
  const number = typeof port === "string" ? ports.find(({ name }) => name === port)?.containerPort : port;
  const answer = await fetch(`http://${ip}:${number}${path}`, { signal: AbortSignal.timeout((probe?.timeoutSeconds ?? 1) * 1_000) });
  return { status: answer.status, text: await answer.text() };
}
