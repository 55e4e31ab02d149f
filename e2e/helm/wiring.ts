// Names that have to meet: ports of probes and services, accounts, selectors; and hooks, which run before anything of the release is there.
import { containersOf, hookOf, type Manifest, matches, named, type Pod, podsOf, type Selector, type ServiceSpec } from "./manifest.ts";

const LABEL = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** What a pod may refer to by name. */
interface Reference {
  readonly kind: "Secret" | "ConfigMap" | "ServiceAccount";
  readonly name: string;
}

export function unwired(manifests: readonly Manifest[]): readonly string[] {
  const pods = podsOf(manifests);
  return [
    ...manifests.flatMap(misnamed),
    ...pods.flatMap((pod) => [
      ...withoutPorts(pod),
      ...beforeItsTime(pod, manifests),
      ...missing(pod, manifests),
      ...lookingElsewhere(pod, manifests),
    ]),
    ...manifests.flatMap((manifest) => astray(manifest, pods)),
    ...doubled(manifests),
  ];
}

function misnamed(manifest: Manifest): readonly string[] {
  const { name, labels = {} } = manifest.metadata;
  const bad = Object.entries(labels).filter(([, value]) => !LABEL.test(value));
  return [
    ...(NAME.test(name) ? [] : [`${named(manifest)} has a name that no DNS takes`]),
    ...bad.map(([label, value]) => `${named(manifest)} has the label ${label} of no valid value: ${value}`),
  ];
}

function withoutPorts(pod: Pod): readonly string[] {
  return containersOf(pod).flatMap((container) => {
    const ports: readonly (string | number)[] = (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort]);
    const asked = [container.startupProbe, container.readinessProbe, container.livenessProbe].map((probe) => probe?.httpGet?.port);
    const absent = asked.filter((port) => port !== undefined && !ports.includes(port));
    return absent.map((port) => `${named(pod.of)} probes the port ${port}, which container ${container.name} has not`);
  });
}

/** The classic deadlock: Helm waits for a hook that waits for what Helm makes after it. */
function beforeItsTime(pod: Pod, manifests: readonly Manifest[]): readonly string[] {
  if (!/pre-install|pre-upgrade/.test(hookOf(pod.of) ?? "")) return [];
  const made = manifests.filter((manifest) => hookOf(manifest) === undefined);
  return referencesOf(pod)
    .filter(({ kind, name }) => made.some((one) => one.kind === kind && one.metadata.name === name))
    .map(({ kind, name }) => `${named(pod.of)} is a hook and needs ${kind}/${name}, which the release makes after it`);
}

function missing(pod: Pod, manifests: readonly Manifest[]): readonly string[] {
  const account = pod.spec.serviceAccountName;
  const isThere = manifests.some(({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === account);
  return account === undefined || account === "default" || isThere ? [] : [`${named(pod.of)} runs as ${account}, which nobody makes`];
}

/** Where engines and the test look for others: a service of this release, and a port that it has. */
function lookingElsewhere(pod: Pod, manifests: readonly Manifest[]): readonly string[] {
  const places = containersOf(pod).flatMap(({ env = [], args = [] }) => [
    ...env.filter(({ name }) => LOOKS.has(name)).flatMap(({ value = "" }) => value.split(",")),
    ...args.filter((arg) => URL.canParse(arg)).map((arg) => new URL(arg).host),
  ]);
  const isThere = (place: string): boolean =>
    manifests.some(({ kind, metadata, spec }) => {
      return kind === "Service" && (spec as ServiceSpec).ports.some(({ port }) => `${metadata.name}:${port}` === withPort(place));
    });
  return places
    .filter((place) => !isThere(place))
    .map((place) => `${named(pod.of)} looks for ${place}, which is no service of the release`);
}
const LOOKS = new Set(["WOML_SANDBOXES", "WOML_PLUGIN_HOSTS"]);
/** A URL leaves out the port of its scheme. */
const withPort = (place: string): string => (place.includes(":") ? place : `${place}:80`);

/** A selector that selects nothing, or a service's port that no pod has. */
function astray(manifest: Manifest, pods: readonly Pod[]): readonly string[] {
  const selector = selectorOf(manifest);
  if (selector === undefined) return [];
  const selected = pods.filter(({ labels }) => matches(selector, labels));
  if (selected.length === 0) return [`${named(manifest)} selects no pod`];
  if (manifest.kind !== "Service") return selected.length === 1 ? [] : [`${named(manifest)} selects pods of ${selected.length} kinds`];
  const ports = selected.flatMap(containersOf).flatMap(({ ports: own = [] }) => own.flatMap((port) => [port.name, port.containerPort]));
  return (manifest.spec as ServiceSpec).ports
    .filter(({ targetPort }) => !ports.some((port) => port === targetPort))
    .map(({ targetPort }) => `${named(manifest)} leads to the port ${targetPort}, which no pod of it has`);
}

function selectorOf({ kind, spec }: Manifest): Selector | undefined {
  if (kind === "Service") return { matchLabels: (spec as ServiceSpec).selector };
  if (kind === "NetworkPolicy") return (spec as { readonly podSelector: Selector }).podSelector;
  if (kind === "Deployment" || kind === "PodDisruptionBudget") return (spec as { readonly selector: Selector }).selector;
  return undefined;
}

function doubled(manifests: readonly Manifest[]): readonly string[] {
  const names = manifests.map(named);
  return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is rendered twice`);
}

function referencesOf(pod: Pod): readonly Reference[] {
  const { serviceAccountName, imagePullSecrets = [], volumes = [] } = pod.spec;
  const secrets = [
    ...containersOf(pod).flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name)),
    ...containersOf(pod).flatMap(({ envFrom = [] }) => envFrom.map(({ secretRef }) => secretRef?.name)),
    ...imagePullSecrets.map(({ name }) => name),
    ...volumes.map(({ secret }) => secret?.secretName),
  ];
  const maps = [
    ...containersOf(pod).flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name)),
    ...volumes.map(({ configMap }) => configMap?.name),
  ];
  const of = (kind: Reference["kind"], names: readonly (string | undefined)[]): readonly Reference[] =>
    names.flatMap((name) => (name === undefined ? [] : [{ kind, name }]));
  return [...of("Secret", secrets), ...of("ConfigMap", maps), ...of("ServiceAccount", [serviceAccountName])];
}
