import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPluginHost, startPluginHost } from "@woml/plugin-host";
import { type GivenHosts, hostsContract } from "./hosts-contract.ts";
import { Hosts } from "./hosts-double.ts";
import { type Given, pluginContract } from "./plugin-contract.ts";
import { hostDouble } from "./plugin-double.ts";
import { openRealHosts, RELEASE } from "./real-hosts.ts";
import { TENANT } from "./stage.ts";

/** Counts, and answers after `input.ms`. */
function acting(): { readonly act: ReturnType<typeof hostDouble>["act"]; readonly done: (key: string) => number } {
  let count = 0;
  const done = new Map<string, number>();
  return {
    act: async ({ input, key }) => {
      const { ms = 0 }: { ms?: number } = JSON.parse(input);
      done.set(key, (done.get(key) ?? 0) + 1);
      await sleep(ms);
      count += 1;
      return { status: "succeeded", result: JSON.stringify({ count }), evidence: "" };
    },
    done: (key) => done.get(key) ?? 0,
  };
}
const find: Hosts["find"] = async () => ({ status: "succeeded", result: '"found"' });

pluginContract("the double", async () => {
  const host = Object.assign(hostDouble(Date.now), { act: acting().act, find });
  return { host, release: RELEASE.digest, close: async () => undefined };
});

function doubles(): { readonly door: Hosts; readonly done: (key: string) => number } {
  const time = {
    get now() {
      return performance.now();
    },
    sleep: (ms: number) => sleep(ms),
  };
  const { act, done } = acting();
  const door = Object.assign(new Hosts(time, Date.now), { act, find });
  for (const id of ["A", "B"]) door.open(id);
  return { door, done };
}

pluginContract("the double of several hosts", async () => ({
  host: doubles().door,
  release: RELEASE.digest,
  close: async () => undefined,
}));

hostsContract("the double", async (): Promise<GivenHosts> => {
  const { door, done } = doubles();
  return {
    ...{ door, done, ids: ["A", "B"], release: RELEASE.digest },
    cut: async (id) => door.cut(id),
    back: async (id) => door.back(id),
    end: async (id) => door.end(id),
    close: async () => undefined,
  };
});

pluginContract("the supervisor and its plugins", async (): Promise<Given> => {
  const home = mkdtempSync(join(tmpdir(), "woml-contract-"));
  const supervisor = await startPluginHost({ socket: join(home, "s") });
  const release = async (digest: string) => (digest === RELEASE.digest ? RELEASE : null);
  const host = await openPluginHost(supervisor.socket, { release });
  const close = async (): Promise<void> => {
    await host.close();
    await supervisor.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { host, release: RELEASE.digest, close };
});

pluginContract("two supervisors on the network", async (): Promise<Given> => {
  const { door, close } = await openRealHosts(2);
  return { host: door, release: RELEASE.digest, close };
});

hostsContract("supervisors on the network", async (): Promise<GivenHosts> => {
  const { door, hosts, met, close } = await openRealHosts(2);
  const [one, two] = hosts;
  if (one === undefined || two === undefined) throw new Error("two were asked for");
  const there = new Set(hosts);
  const named = (id: string) => (id === one.id ? one : two);
  const left = async (id: string, work: () => Promise<void> | void): Promise<void> => {
    await work();
    there.delete(named(id));
    await met(there.size);
  };
  return {
    ...{ door, ids: [one.id, two.id], release: RELEASE.digest, close },
    done: async (key) => {
      const now = Date.now();
      const asked = {
        ...{
          engine: "e",
          run: `look ${Math.random()}`,
          epoch: 1,
          now,
          notAfter: now + 60_000,
          tenant: TENANT,
          attempt: 1,
          try: 1,
          key: "k",
        },
        ...{
          release: RELEASE.digest,
          operation: "look",
          effect: "pure" as const,
          input: JSON.stringify({ key }),
          timeoutMs: 9_000,
          secrets: {},
        },
      };
      const said = await Promise.all([...there].map(({ id }) => door.perform({ ...asked, host: id })));
      return said.reduce((sum, one) => sum + (one.status === "succeeded" ? JSON.parse(one.result).count : Number.NaN), 0);
    },
    cut: (id) => left(id, () => named(id).cut()),
    back: async (id) => {
      named(id).back();
      there.add(named(id));
      await met(there.size);
    },
    end: (id) => left(id, () => named(id).end()),
  };
});
