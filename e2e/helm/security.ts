// Pod security, profile "restricted", and what the house asks beyond it: a read-only root, no token, requests and a memory limit, probes.
import { type Container, containersOf, named, type Pod } from "./manifest.ts";

const SERVERS = new Set(["control", "engine", "sandbox", "plugin-host"]);
const USER = 10_001;
const SECCOMP = ["RuntimeDefault", "Localhost"];
/** Volumes that "restricted" takes, as far as the chart has them. */
const VOLUMES = ["name", "emptyDir", "secret", "configMap", "projected"];

export function insecure(pod: Pod): readonly string[] {
  const bad = [...ofPod(pod), ...containersOf(pod).flatMap((container) => ofContainer(container, pod))];
  return bad.map((what) => `${named(pod.of)} ${what}`);
}

function ofPod({ spec, role }: Pod): readonly string[] {
  const bad: string[] = [];
  for (const name of ["hostNetwork", "hostPID", "hostIPC"] as const) if (spec[name]) bad.push(`has ${name}`);
  for (const volume of spec.volumes ?? []) {
    bad.push(...Object.keys(volume).flatMap((kind) => (VOLUMES.includes(kind) ? [] : [`has a volume of kind ${kind}`])));
    if (volume.emptyDir !== undefined && volume.emptyDir.sizeLimit === undefined)
      bad.push(`has the volume ${volume.name} without sizeLimit`);
  }
  if (spec.automountServiceAccountToken !== false) bad.push("mounts a token");
  if (spec.enableServiceLinks !== false) bad.push("has service links: a release called woml would set WOML_… variables");
  if (SERVERS.has(role) && spec.terminationGracePeriodSeconds === undefined) bad.push("has no terminationGracePeriodSeconds");
  return bad;
}

function ofContainer(container: Container, { spec, role }: Pod): readonly string[] {
  const own = container.securityContext ?? {};
  const all = spec.securityContext ?? {};
  const rules: readonly (readonly [boolean, string])[] = [
    [(own.runAsNonRoot ?? all.runAsNonRoot) === true, "may run as root"],
    [(own.runAsUser ?? all.runAsUser) === USER, `is not user ${USER}`],
    [SECCOMP.includes((own.seccompProfile ?? all.seccompProfile)?.type ?? ""), "has no seccomp profile"],
    [own.allowPrivilegeEscalation === false, "may escalate privileges"],
    [own.privileged !== true, "is privileged"],
    [own.capabilities?.drop?.includes("ALL") === true && (own.capabilities.add ?? []).length === 0, "keeps capabilities"],
    [own.readOnlyRootFilesystem === true, "may write to its root"],
    [(container.ports ?? []).every(({ hostPort }) => hostPort === undefined), "takes a port of the node"],
    [container.resources?.requests?.["cpu"] !== undefined && container.resources.requests["memory"] !== undefined, "has no requests"],
    [container.resources?.limits?.["memory"] !== undefined, "has no memory limit"],
    [!SERVERS.has(role) || hasProbes(container), "lacks a probe"],
    [container.lifecycle === undefined, "has a lifecycle hook: the image has no shell"],
  ];
  return rules.filter(([holds]) => !holds).map(([, what]) => `container ${container.name} ${what}`);
}

function hasProbes({ startupProbe, readinessProbe, livenessProbe }: Container): boolean {
  const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet?.path);
  return paths.join(" ") === "/health/live /health/ready /health/live";
}
