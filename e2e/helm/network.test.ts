// What the matrix rests on: policies as Kubernetes reads them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest, PolicySpec } from "./manifest.ts";
import { allows, type Party } from "./network.ts";

const pod = (name: string, namespace = "flows"): Party => ({ name, ip: "10.244.0.7", pod: { labels: { app: name }, namespace } });
const at = (ip: string): Party => ({ name: ip, ip });
function policy(app: string, spec: Omit<PolicySpec, "podSelector" | "policyTypes">, types = ["Ingress", "Egress"]): Manifest {
  const whole: PolicySpec = { podSelector: { matchLabels: { app } }, policyTypes: types, ...spec };
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: app, namespace: "flows" }, spec: whole };
}
const to = (manifests: readonly Manifest[], from: Party, target: Party, port = 443): boolean =>
  allows(manifests, { from, to: target, port });

test("a pod that no policy selects may talk to anyone, and be talked to", () => {
  assert.equal(to([], pod("a"), at("1.1.1.1")), true);
  assert.equal(to([policy("b", {})], pod("a"), at("1.1.1.1")), true);
});

test("a selected pod without rules may not, in the directions that its policy names alone", () => {
  assert.equal(to([policy("a", { egress: [] })], pod("a"), at("1.1.1.1")), false);
  assert.equal(to([policy("a", { ingress: [] }, ["Ingress"])], pod("a"), at("1.1.1.1")), true);
  assert.equal(to([policy("a", { ingress: [] }, ["Ingress"])], at("1.1.1.1"), pod("a")), false);
});

test("both ends have to let a connection through", () => {
  const out = policy("a", { egress: [{ to: [{ podSelector: { matchLabels: { app: "b" } } }] }] });
  assert.equal(to([out], pod("a"), pod("b")), true);
  assert.equal(to([out, policy("b", { ingress: [] })], pod("a"), pod("b")), false);
  const into = policy("b", { ingress: [{ from: [{ podSelector: { matchLabels: { app: "a" } } }] }] });
  assert.equal(to([out, into], pod("a"), pod("b")), true);
});

test("several policies of one pod add up", () => {
  const one = policy("a", { egress: [{ ports: [{ port: 443, protocol: "TCP" }] }] });
  const other = {
    ...policy("a", { egress: [{ ports: [{ port: 80, protocol: "TCP" }] }] }),
    metadata: { name: "other", namespace: "flows" },
  };
  assert.equal(to([one, other], pod("a"), at("1.1.1.1"), 443), true);
  assert.equal(to([one, other], pod("a"), at("1.1.1.1"), 80), true);
  assert.equal(to([one, other], pod("a"), at("1.1.1.1"), 22), false);
});

test("a rule without peers is for anyone, one without ports for any port, and a protocol is part of a port", () => {
  assert.equal(to([policy("a", { egress: [{}] })], pod("a"), at("1.1.1.1"), 22), true);
  const tcp = [policy("a", { egress: [{ ports: [{ protocol: "TCP" }] }] })];
  assert.equal(to(tcp, pod("a"), at("1.1.1.1"), 22), true);
  assert.equal(allows(tcp, { from: pod("a"), to: at("1.1.1.1"), port: 53, protocol: "UDP" }), false);
});

test("a pod selector without a namespace means the policy's own; both together mean both", () => {
  const own = [policy("a", { egress: [{ to: [{ podSelector: {} }] }] })];
  assert.equal(to(own, pod("a"), pod("b")), true);
  assert.equal(to(own, pod("a"), pod("b", "elsewhere")), false);
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "elsewhere" } };
  const both = [policy("a", { egress: [{ to: [{ namespaceSelector, podSelector: { matchLabels: { app: "b" } } }] }] })];
  assert.equal(to(both, pod("a"), pod("b", "elsewhere")), true);
  assert.equal(to(both, pod("a"), pod("c", "elsewhere")), false);
  assert.equal(to(both, pod("a"), pod("b")), false);
});

test("an address block leaves out its exceptions, and never crosses families", () => {
  const open = [policy("a", { egress: [{ to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }] }] })];
  assert.equal(to(open, pod("a"), at("1.1.1.1")), true);
  assert.equal(to(open, pod("a"), at("10.1.1.1")), false);
  assert.equal(to(open, pod("a"), at("2606::1")), false);
});

test("a policy of another namespace selects nothing here", () => {
  const elsewhere = { ...policy("a", { egress: [] }), metadata: { name: "a", namespace: "elsewhere" } };
  assert.equal(to([elsewhere], pod("a"), at("1.1.1.1")), true);
});
