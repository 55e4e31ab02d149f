// Who may reach whom: each cell is looked up in what is rendered. Written out, so that a reader sees the whole of it.
import { type Labels, type Manifest, podsOf } from "./manifest.ts";
import { allows, type Party } from "./network.ts";
import { NAMESPACE } from "./render.ts";

type Cell = readonly [from: string, to: string, port: number, may: boolean, protocol?: "UDP"];

const OUTSIDE: Readonly<Record<string, string>> = {
  internet: "93.184.216.34",
  "internet by IPv6": "2606:2800:220:1::1",
  metadata: "169.254.169.254",
  "metadata of Azure": "168.63.129.16",
  "private 10/8": "10.1.2.3",
  "private 172.16/12": "172.20.0.4",
  "private 192.168/16": "192.168.1.1",
  "carrier 100.64/10": "100.100.0.1",
  "private by IPv6": "fd00::1",
  "private by NAT64": "64:ff9b::a00:1",
  "Kubernetes' API": "10.96.0.1",
  database: "10.30.0.5",
  billing: "10.20.0.7",
  "denied database": "34.1.2.3",
};
const OWN = ["control", "engine", "sandbox", "plugin-host", "migrate", "smoke"] as const;
const FOREIGN: Readonly<Record<string, { readonly namespace: string; readonly labels: Labels }>> = {
  dns: { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
  redis: { namespace: "databases", labels: { app: "redis" } },
  collector: { namespace: "observability", labels: { app: "collector" } },
  monitoring: { namespace: "monitoring", labels: { app: "prometheus" } },
  ledger: { namespace: "finance", labels: { app: "ledger" } },
  "ingress controller": { namespace: "ingress", labels: { app: "nginx" } },
  stranger: { namespace: "elsewhere", labels: { app: "stranger" } },
};

const GUESTS: readonly Cell[] = ["sandbox", "plugin-host"].flatMap((guest): readonly Cell[] => [
  [guest, "metadata", 80, false],
  [guest, "metadata of Azure", 80, false],
  [guest, "private 10/8", 443, false],
  [guest, "private 172.16/12", 443, false],
  [guest, "private 192.168/16", 443, false],
  [guest, "carrier 100.64/10", 443, false],
  [guest, "private by IPv6", 443, false],
  [guest, "private by NAT64", 443, false],
  [guest, "Kubernetes' API", 443, false],
  [guest, "database", 5432, false],
  [guest, "database", 6432, false],
  [guest, "redis", 6379, false],
  [guest, "redis", 6380, false],
  [guest, "control", 7330, false],
  [guest, "engine", 9464, false],
  [guest, "sandbox", 7331, false],
  [guest, "plugin-host", 7332, false],
]);
/** Whatever the values say. */
const ALWAYS: readonly Cell[] = [
  ...GUESTS,
  ["sandbox", "internet", 443, false],
  ["sandbox", "internet by IPv6", 443, false],
  ["sandbox", "dns", 53, false],
  ["sandbox", "dns", 53, false, "UDP"],
  ["sandbox", "collector", 4318, false],
  ["plugin-host", "internet", 443, true],
  ["plugin-host", "internet by IPv6", 443, true],
  ["plugin-host", "internet", 53, false, "UDP"],
  ["plugin-host", "dns", 53, true, "UDP"],
  ["plugin-host", "dns", 9153, false],
  ["engine", "sandbox", 7331, true],
  ["engine", "plugin-host", 7332, true],
  ["engine", "sandbox", 9464, false],
  ["engine", "dns", 53, true, "UDP"],
  ["engine", "internet", 443, false],
  ["engine", "metadata", 80, false],
  ["engine", "control", 7330, false],
  ["control", "dns", 53, true, "UDP"],
  ["control", "sandbox", 7331, false],
  ["control", "plugin-host", 7332, false],
  ["control", "engine", 9464, false],
  ["control", "internet", 443, false],
  ["control", "metadata", 80, false],
  ["migrate", "dns", 53, true, "UDP"],
  ["migrate", "internet", 443, false],
  ["migrate", "redis", 6379, false],
  ["migrate", "control", 7330, false],
  ...["internet", "stranger", "migrate", "engine of another namespace"].flatMap((from): readonly Cell[] => [
    [from, "sandbox", 7331, false],
    [from, "plugin-host", 7332, false],
    [from, "engine", 9464, false],
    [from, "control", 9464, false],
  ]),
];
/** Where the values leave the database anywhere, and say no monitoring, no collector and no clients. */
const USUAL: readonly Cell[] = [
  ["control", "database", 5432, true],
  ["engine", "database", 5432, true],
  ["migrate", "database", 5432, true],
  ["engine", "database", 6432, false],
  ["plugin-host", "billing", 8443, false],
  ["plugin-host", "denied database", 5432, true],
  ["plugin-host", "collector", 4318, false],
  ["monitoring", "sandbox", 9464, false],
  ["internet", "control", 7330, true],
  ["stranger", "control", 7330, true],
];
/** As ci/full-values.yaml closes it. */
const FULL: readonly Cell[] = [
  ["control", "database", 6432, true],
  ["engine", "database", 6432, true],
  ["migrate", "database", 6432, true],
  ["engine", "database", 5432, false],
  ["engine", "internet", 6432, false],
  ["control", "redis", 6380, true],
  ["engine", "redis", 6380, true],
  ["engine", "stranger", 6380, false],
  ["control", "collector", 4318, true],
  ["engine", "collector", 4318, true],
  ["plugin-host", "collector", 4318, true],
  ["plugin-host", "collector", 22, false],
  ["plugin-host", "billing", 8443, true],
  ["plugin-host", "billing", 22, false],
  ["plugin-host", "ledger", 8080, true],
  ["plugin-host", "ledger", 22, false],
  ["plugin-host", "denied database", 5432, false],
  ["monitoring", "sandbox", 9464, true],
  ["monitoring", "sandbox", 7331, false],
  ["monitoring", "engine", 9464, true],
  ["monitoring", "control", 7330, false],
  ["ingress controller", "control", 7330, true],
  ["stranger", "control", 7330, false],
  ["internet", "control", 7330, false],
];
const SMOKE: readonly Cell[] = [
  ["smoke", "control", 7330, true],
  ["smoke", "dns", 53, true, "UDP"],
  ["smoke", "database", 5432, false],
  ["smoke", "internet", 443, false],
  ["smoke", "sandbox", 7331, false],
];
const CELLS: Readonly<Record<string, readonly Cell[]>> = {
  minimal: [...ALWAYS, ...USUAL],
  usual: [...ALWAYS, ...USUAL, ["engine", "redis", 6379, true], ["control", "redis", 6379, true], ...SMOKE],
  full: [
    ...ALWAYS,
    ...FULL,
    ["ingress controller", "smoke", 7330, false],
    ["smoke", "database", 6432, false],
    ["smoke", "internet", 443, false],
  ],
};

/** How many cells there are for these values; 0 where they have no policies. */
export const cellsOf = (values: string): number => CELLS[values]?.length ?? 0;

export function astray(values: string, manifests: readonly Manifest[]): readonly string[] {
  return (CELLS[values] ?? []).flatMap(([from, to, port, may, udp]) => {
    const protocol = udp ?? "TCP";
    const does = allows(manifests, { from: partyOf(from, manifests), to: partyOf(to, manifests), port, protocol });
    return does === may ? [] : [`${from} ${does ? "reaches" : "does not reach"} ${to}:${port}/${protocol}`];
  });
}

function partyOf(name: string, manifests: readonly Manifest[]): Party {
  const foreign = FOREIGN[name];
  if (foreign !== undefined) return { name, ip: "10.244.9.9", pod: foreign };
  if (name === "engine of another namespace")
    return { name, ip: "10.244.9.8", pod: { namespace: "elsewhere", labels: labelsOf("engine", manifests) } };
  const isOwn = OWN.some((role) => role === name);
  if (isOwn) return { name, ip: `10.244.0.${name.length}`, pod: { namespace: NAMESPACE, labels: labelsOf(name, manifests) } };
  return { name, ip: OUTSIDE[name] ?? "" };
}

function labelsOf(role: string, manifests: readonly Manifest[]): Labels {
  const pod = podsOf(manifests).find((one) => one.role === role);
  if (pod === undefined) throw new Error(`There is no pod of ${role}.`);
  return pod.labels;
}
