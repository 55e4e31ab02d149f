import { lookup as lookUp } from "node:dns/promises";
import { isIP } from "node:net";
import { nameOf } from "./place.ts";

const EVERY_MS = 2_000;
/** In all: a name that stands for more is not one of this platform's houses. */
const MEMBERS = 256;

interface At {
  readonly host: string;
  readonly port: number;
}
/** One connection to one address of a house. */
export interface Member {
  readonly isOpen: boolean;
  close(): void;
}
export interface FleetOptions<M extends Member> {
  /** Every address that a name stands for becomes a member; names are asked anew every two seconds. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly open: (at: { readonly host: string; readonly port: number }) => M;
  /** The addresses that a name stands for; rejects where it stands for none. By default the machine's own resolver. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
}
/**
 * The members of a house that is spread over many processes. One whose address no name stands for any more is closed once it is not open: a
 * process that ends in order is not found by its name any more while it still answers.
 */
export interface Fleet<M extends Member> {
  readonly members: readonly M[];
  close(): void;
}

/** Members whose address is given as such are there at once, the others when their name was asked. A name that stands for nothing changes nothing. */
export function openFleet<M extends Member>({ addresses, open, lookup = resolve }: FleetOptions<M>): Fleet<M> {
  const members = new Map<string, M>();
  /** What each entry stood for when it was last asked, by its place in `addresses`. */
  const found = new Map<number, readonly At[]>();
  const asking = new Set<number>();
  let isClosed = false;
  const settle = (): void => {
    const wanted = new Map([...found.values()].flat().map((at) => [nameOf(at), at]));
    for (const [name, at] of wanted) if (!members.has(name) && members.size < MEMBERS) members.set(name, open(at));
    for (const [name, member] of members) {
      if (wanted.has(name) || member.isOpen) continue;
      members.delete(name);
      member.close();
    }
  };
  const ask = async (entry: number, { host, port }: At): Promise<void> => {
    if (asking.has(entry)) return;
    asking.add(entry);
    const hosts = await lookup(host).catch(() => []);
    asking.delete(entry);
    if (isClosed) return;
    if (hosts.length > 0)
      found.set(
        entry,
        hosts.map((one) => ({ host: one, port })),
      );
    settle();
  };
  const refresh = (): void => {
    for (const [entry, at] of addresses.entries()) {
      if (isIP(at.host) === 0) void ask(entry, at);
      else found.set(entry, [at]);
    }
    settle();
  };
  refresh();
  const timer = setInterval(refresh, EVERY_MS);
  return {
    get members() {
      return [...members.values()];
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
      for (const member of members.values()) member.close();
      members.clear();
    },
  };
}

async function resolve(host: string): Promise<readonly string[]> {
  return (await lookUp(host, { all: true })).map(({ address }) => address);
}
