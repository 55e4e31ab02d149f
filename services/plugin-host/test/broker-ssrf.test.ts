import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import type { EgressCode } from "../broker/answer.ts";
import { asking, ended, manifest, open, serve, serveRaw } from "./broker-place.ts";

interface Row {
  readonly trick: string;
  readonly url: string;
  readonly code: EgressCode;
  /** What the name servers say; a name that is not here is not found. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Instead of everything: the manifest's hosts, of a plugin of somebody else. */
  readonly hosts?: readonly string[];
}
const PRIVATE = "WOML_EGRESS_ADDRESS_FORBIDDEN";
const UNDECLARED = "WOML_EGRESS_HOST_UNDECLARED";
const INVALID = "WOML_EGRESS_URL_INVALID";
const PUBLIC = "93.184.215.14";
const example = ["*.example.com"];

const ROWS: readonly Row[] = [
  { trick: "IPv4 loopback", url: "http://127.0.0.1/", code: PRIVATE },
  { trick: "IPv4 loopback elsewhere in its net", url: "http://127.8.9.1/", code: PRIVATE },
  { trick: "IPv4 in decimal", url: "http://2130706433/", code: PRIVATE },
  { trick: "IPv4 in octal", url: "http://0177.0.0.01/", code: PRIVATE },
  { trick: "IPv4 in hex", url: "http://0x7f000001/", code: PRIVATE },
  { trick: "IPv4 with parts left out", url: "http://127.1/", code: PRIVATE },
  { trick: "IPv4 with a dot at its end", url: "http://127.0.0.1./", code: PRIVATE },
  { trick: "IPv4 in full-width digits", url: "http://１２７.0.0.1/", code: PRIVATE },
  { trick: "IPv4 percent-encoded", url: "http://%31%32%37.0.0.1/", code: PRIVATE },
  { trick: "IPv4 unspecified", url: "http://0.0.0.0/", code: PRIVATE },
  { trick: "IPv4 unspecified, short", url: "http://0/", code: PRIVATE },
  { trick: "private 10/8", url: "http://10.1.2.3/", code: PRIVATE },
  { trick: "private 172.16/12", url: "http://172.31.255.255/", code: PRIVATE },
  { trick: "private 192.168/16", url: "http://192.168.1.1/", code: PRIVATE },
  { trick: "carrier-grade NAT", url: "http://100.64.0.1/", code: PRIVATE },
  { trick: "benchmark net", url: "http://198.19.0.1/", code: PRIVATE },
  { trick: "documentation net", url: "http://203.0.113.7/", code: PRIVATE },
  { trick: "multicast", url: "http://224.0.0.251/", code: PRIVATE },
  { trick: "broadcast", url: "http://255.255.255.255/", code: PRIVATE },
  { trick: "metadata", url: "http://169.254.169.254/latest/meta-data/", code: PRIVATE },
  { trick: "metadata in decimal", url: "http://2852039166/", code: PRIVATE },
  { trick: "metadata of Azure", url: "http://168.63.129.16/", code: PRIVATE },
  { trick: "metadata over IPv6", url: "http://[fd00:ec2::254]/", code: PRIVATE },
  { trick: "IPv6 loopback", url: "http://[::1]/", code: PRIVATE },
  { trick: "IPv6 loopback in full", url: "http://[0:0:0:0:0:0:0:1]/", code: PRIVATE },
  { trick: "IPv6 unspecified", url: "http://[::]/", code: PRIVATE },
  { trick: "IPv4-mapped IPv6", url: "http://[::ffff:127.0.0.1]/", code: PRIVATE },
  { trick: "IPv4-mapped IPv6 in hex", url: "http://[::ffff:a9fe:a9fe]/", code: PRIVATE },
  { trick: "IPv4-compatible IPv6", url: "http://[::127.0.0.1]/", code: PRIVATE },
  { trick: "NAT64 of loopback", url: "http://[64:ff9b::7f00:1]/", code: PRIVATE },
  { trick: "NAT64 of a local prefix", url: "http://[64:ff9b:1::a00:1]/", code: PRIVATE },
  { trick: "6to4 of a private address", url: "http://[2002:a00:1::]/", code: PRIVATE },
  { trick: "Teredo", url: "http://[2001:0:7f00:1::]/", code: PRIVATE },
  { trick: "IPv6 unique local", url: "http://[fc00::1]/", code: PRIVATE },
  { trick: "IPv6 link-local", url: "http://[fe80::1]/", code: PRIVATE },
  { trick: "IPv6 multicast", url: "http://[ff02::1]/", code: PRIVATE },
  { trick: "IPv6 with a zone", url: "http://[fe80::1%25eth0]/", code: INVALID },
  { trick: "localhost", url: "http://localhost/", code: PRIVATE },
  { trick: "localhost in capitals, with a dot", url: "http://LOCALHOST./", code: PRIVATE },
  { trick: "below localhost", url: "http://a.localhost/", code: PRIVATE },
  { trick: "the platform's own name", url: "http://platform.example/", code: PRIVATE, names: { "platform.example": [PUBLIC] } },
  { trick: "the platform's own name, with a dot", url: "http://PLATFORM.example./", code: PRIVATE },
  { trick: "a name that is private", url: "http://in.example/", code: PRIVATE, names: { "in.example": ["10.0.0.1"] } },
  { trick: "one public and one private answer", url: "http://two.example/", code: PRIVATE, names: { "two.example": [PUBLIC, "10.0.0.1"] } },
  { trick: "a private IPv6 answer", url: "http://six.example/", code: PRIVATE, names: { "six.example": [PUBLIC, "fd00::1"] } },
  { trick: "a mapped answer", url: "http://map.example/", code: PRIVATE, names: { "map.example": ["::ffff:127.0.0.1"] } },
  { trick: "an answer that is no address", url: "http://bad.example/", code: PRIVATE, names: { "bad.example": ["127.0.0.1 "] } },
  { trick: "user information before the true host", url: "http://api.example.com@127.0.0.1/", code: INVALID },
  { trick: "user information with a password", url: "http://api.example.com:80@10.0.0.1/", code: INVALID },
  { trick: "a backslash before the true host", url: "http://10.0.0.1\\@api.example.com/", code: UNDECLARED, hosts: ["api.example.com"] },
  { trick: "a fragment before the declared host", url: "http://10.0.0.1#@api.example.com/", code: UNDECLARED, hosts: ["api.example.com"] },
  { trick: "a tab inside the scheme", url: "ht\ttp://127.0.0.1/", code: PRIVATE },
  { trick: "a file", url: "file:///etc/passwd", code: INVALID },
  { trick: "gopher", url: "gopher://127.0.0.1:70/", code: INVALID },
  { trick: "data", url: "data:text/plain,x", code: INVALID },
  { trick: "no host", url: "http:///", code: INVALID },
  { trick: "a wildcard's own suffix", url: "http://example.com/", code: UNDECLARED, hosts: example },
  { trick: "a suffix without its dot", url: "http://evil-example.com/", code: UNDECLARED, hosts: example },
  { trick: "a declared name in front", url: "http://a.example.com.evil.com/", code: UNDECLARED, hosts: example },
  { trick: "a look-alike letter (Cyrillic а)", url: "http://аpi.example.com/", code: UNDECLARED, hosts: ["api.example.com"] },
  { trick: "a look-alike letter in the suffix", url: "http://a.ехample.com/", code: UNDECLARED, hosts: example },
  { trick: "an address under a wildcard", url: "http://1.2.3.4/", code: UNDECLARED, hosts: ["*.3.4"] },
  { trick: "everything, for somebody else's plugin", url: "http://api.example.com/", code: UNDECLARED, hosts: ["*"] },
  { trick: "a port that is not declared", url: "http://api.example.com:8080/", code: "WOML_EGRESS_PORT_UNDECLARED" },
  { trick: "port 0", url: "http://api.example.com:0/", code: "WOML_EGRESS_PORT_UNDECLARED" },
];

describe("SSRF: addresses and tricks, each refused before a connection is tried", () => {
  for (const { trick, url, code, names = {}, hosts } of ROWS) {
    test(`${code.slice("WOML_EGRESS_".length).padEnd(18)} ${trick}: ${JSON.stringify(url)}`, async (t) => {
      const dialled: string[] = [];
      const broker = open(t, {
        ownHosts: ["platform.example"],
        resolve: async (host) => names[host] ?? Promise.reject(new Error("ENOTFOUND")),
        dial: (address) => {
          dialled.push(address);
          return connect({ host: "127.0.0.1", port: 1 });
        },
      });
      const given = hosts === undefined ? {} : { manifest: manifest(hosts, [80, 443], "acme.payments") };
      assert.equal(ended(await broker.request(asking({ url }, given))), `refused ${code}`);
      assert.deepEqual(dialled, []);
    });
  }
  test("there are at least 25", () => assert.ok(ROWS.length >= 25));
});

test("what is spelled otherwise and means the same is allowed", async (t) => {
  const asked: string[] = [];
  const broker = open(t, {
    resolve: async (host) => {
      asked.push(host);
      throw Object.assign(new Error("no"), { code: "ENOTFOUND" });
    },
  });
  const given = { manifest: manifest(["api.example.com", "*.example.org", "bücher.example"], [80, 443], "acme.payments") };
  for (const url of ["http://API.Example.com./", "https://a.b.example.org", "http://bücher.example/", "http://xn--bcher-kva.example"]) {
    assert.equal(ended(await broker.request(asking({ url }, given))), "failed WOML_EGRESS_DNS_FAILED");
  }
  assert.deepEqual(asked, ["api.example.com", "a.b.example.org", "xn--bcher-kva.example", "xn--bcher-kva.example"]);
});

test("rebinding: the name is asked once, and a connection that ends elsewhere is closed without a byte", async (t) => {
  let bytes = 0;
  let ends: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    ends = resolve;
  });
  const port = await serveRaw(t, (socket) => {
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    socket.on("close", () => ends());
  });
  const answers = [[PUBLIC], ["127.0.0.1"]];
  let asked = 0;
  const broker = open(t, {
    resolve: async () => answers[asked++] ?? [],
    dial: (address) => {
      assert.equal(address, PUBLIC);
      return connect({ host: "127.0.0.1", port });
    },
  });
  assert.equal(ended(await broker.request(asking({ method: "POST", url: "http://api.example.com/" }))), `refused ${PRIVATE}`);
  await over;
  assert.deepEqual([asked, bytes], [1, 0]);
});

describe("redirects are held against every rule again", () => {
  const targets: readonly (readonly [string, EgressCode])[] = [
    ["http://127.0.0.1/", PRIVATE],
    ["http://localhost/", PRIVATE],
    ["http://169.254.169.254/latest/meta-data/", PRIVATE],
    ["//[::1]/", PRIVATE],
    ["http://in.example/", PRIVATE],
    ["file:///etc/passwd", INVALID],
    ["gopher://127.0.0.1:70/", INVALID],
    ["http://user:pass@other.example/", INVALID],
    ["http://", "WOML_EGRESS_REDIRECT_REFUSED"],
    ["http://other.example:22/", "WOML_EGRESS_PORT_UNDECLARED"],
  ];
  for (const [location, code] of targets) {
    test(`${code.slice("WOML_EGRESS_".length).padEnd(18)} to ${location}`, async (t) => {
      const { port, seen } = await serve(t, (_seen, response) => response.writeHead(302, { location }).end());
      const broker = open(t, { privateHosts: [`127.0.0.1:${port}`], resolve: async () => ["127.0.0.1"] });
      const url = `http://127.0.0.1:${port}/`;
      assert.equal(ended(await broker.request(asking({ url }, { effect: "pure" }))), `refused ${code}`);
      assert.equal(ended(await broker.request(asking({ url }))), `ambiguous ${code}`, "for an effect the first hop has left");
      assert.equal(seen.length, 2);
    });
  }
});
