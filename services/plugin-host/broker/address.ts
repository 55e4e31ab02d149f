import { BlockList, isIP } from "node:net";

/** What IANA's special-purpose registry calls not globally reachable, what is deprecated, and the metadata addresses outside of it. */
const CLOSED_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Metadata of most clouds is 169.254.169.254.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  // Azure's platform address, though it looks public.
  ["168.63.129.16", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Within 2000::/3, the only part of IPv6 that is handed out. Teredo and 6to4 carry an IPv4 address that nobody would look at. */
const CLOSED_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];
const NAT64 = "64:ff9b::";

const closed = new BlockList();
const open = new BlockList();
const translated = new BlockList();
open.addSubnet("2000::", 3, "ipv6");
translated.addSubnet(NAT64, 96, "ipv6");
for (const [net, bits] of CLOSED_V6) closed.addSubnet(net, bits, "ipv6");
for (const [net, bits] of CLOSED_V4) {
  closed.addSubnet(net, bits, "ipv4");
  closed.addSubnet(NAT64 + net, 96 + bits, "ipv6");
}

/** Whether an address (no brackets) is one that anybody may reach from the open network. What is not an address is not. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return (open.check(address, "ipv6") || translated.check(address, "ipv6")) && !closed.check(address, "ipv6");
}

/** The address that a URL's host is, or null where it is a name. */
export function literal(hostname: string): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}
