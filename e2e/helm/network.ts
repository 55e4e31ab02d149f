// What rendered NetworkPolicies let through, as a pure function: no cluster's network is asked. A pod that a policy of a direction selects may
// talk in that direction only as such policies say; a connection needs both ends. An address block takes pods by their addresses too, as
// some networks do.
import { BlockList, isIPv6 } from "node:net";
import { type Labels, type Manifest, matches, type Peer, type PolicySpec, type Rule } from "./manifest.ts";

/** An end of a connection: a pod, or any address outside of the cluster. */
export interface Party {
  readonly name: string;
  readonly ip: string;
  readonly pod?: { readonly labels: Labels; readonly namespace: string };
}
export interface Wish {
  readonly from: Party;
  readonly to: Party;
  readonly port: number;
  readonly protocol?: "TCP" | "UDP";
}

export function allows(manifests: readonly Manifest[], wish: Wish): boolean {
  return passes(manifests, wish, "Egress") && passes(manifests, wish, "Ingress");
}

function passes(manifests: readonly Manifest[], wish: Wish, way: "Egress" | "Ingress"): boolean {
  const [own, other] = way === "Egress" ? [wish.from, wish.to] : [wish.to, wish.from];
  const policies = manifests.filter((manifest) => manifest.kind === "NetworkPolicy" && selects(manifest, own, way));
  if (policies.length === 0) return true;
  return policies.some(({ metadata, spec }) => {
    const { egress = [], ingress = [] } = spec as PolicySpec;
    return (way === "Egress" ? egress : ingress).some((rule) => takes(rule, { ...wish, other, home: metadata.namespace ?? "" }));
  });
}

function selects({ metadata, spec }: Manifest, { pod }: Party, way: string): boolean {
  const { podSelector, policyTypes } = spec as PolicySpec;
  return pod !== undefined && pod.namespace === metadata.namespace && policyTypes.includes(way) && matches(podSelector, pod.labels);
}

function takes({ ports, to, from }: Rule, wish: Wish & { readonly other: Party; readonly home: string }): boolean {
  const { port, protocol = "TCP", other, home } = wish;
  const fits =
    ports === undefined || ports.some((one) => (one.protocol ?? "TCP") === protocol && [undefined, port].includes(numberOf(one)));
  const peers = to ?? from;
  return fits && (peers === undefined || peers.some((peer) => meets(peer, other, home)));
}

/** The chart renders numbers alone; a named port would have to be looked up in the pod. */
function numberOf({ port }: { readonly port?: number | string }): number | undefined {
  if (typeof port === "string") throw new Error(`A policy names the port ${port}: not every network knows named ports.`);
  return port;
}

function meets({ ipBlock, podSelector, namespaceSelector }: Peer, { ip, pod }: Party, home: string): boolean {
  if (ipBlock !== undefined) return inside(ip, ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => inside(ip, cidr));
  if (pod === undefined) return false;
  const isThere = namespaceSelector ? matches(namespaceSelector, { "kubernetes.io/metadata.name": pod.namespace }) : pod.namespace === home;
  return isThere && matches(podSelector ?? {}, pod.labels);
}

function inside(ip: string, cidr: string): boolean {
  const [net = "", bits] = cidr.split("/");
  if (isIPv6(net) !== isIPv6(ip)) return false;
  const block = new BlockList();
  block.addSubnet(net, Number(bits), isIPv6(net) ? "ipv6" : "ipv4");
  return block.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");
}
