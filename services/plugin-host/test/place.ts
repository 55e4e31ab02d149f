import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Manifest, manifestOf, type Plugin } from "@woml/capability";
import type { SupervisorProcess } from "@woml/child";
import type { Dispatch, PluginHost, Release } from "../door.ts";
import type { HostOptions } from "../options.ts";
import type { ReachOptions } from "../question.ts";
import { openPluginHost } from "../reach.ts";
import { digestOf } from "../releases.ts";
import { startPluginHost } from "../start.ts";

export interface Place {
  readonly host: SupervisorProcess;
  readonly door: PluginHost;
  readonly socket: string;
  /** Digests that the host has asked for. */
  readonly wanted: string[];
  /** What the door answers for a digest instead of the release that `plugin` made. */
  readonly instead: Map<string, Release | null>;
}
const releases = new Map<string, Release>();
let count = 0;

/** A host with a door, both gone when the test ends. */
export async function openPlace(t: TestContext, options: Partial<HostOptions> = {}, now?: ReachOptions["now"]): Promise<Place> {
  const home = mkdtempSync(join(tmpdir(), "woml-plugins-"));
  const socket = join(home, "s");
  const host = await startPluginHost({ socket, options });
  const wanted: string[] = [];
  const instead = new Map<string, Release | null>();
  const door = await openPluginHost(socket, { ...releasesOf(instead, wanted), ...(now !== undefined && { now }) });
  t.after(async () => {
    await door.close();
    await host.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return { host, door, socket, wanted, instead };
}
/** How a door finds releases in these tests. */
export function releasesOf(instead: ReadonlyMap<string, Release | null> = new Map(), wanted: string[] = []): ReachOptions {
  return {
    release: async (digest) => {
      wanted.push(digest);
      return instead.has(digest) ? (instead.get(digest) ?? null) : releaseNamed(digest);
    },
  };
}
export const releaseNamed = (digest: string): Release | null => releases.get(digest) ?? null;

interface Written {
  /** Body of `async (input, call) => { … }`; `outside` stands before the plugin. */
  readonly perform: string;
  readonly reattach?: string;
  readonly outside?: string;
  readonly manifest?: Partial<Plugin>;
  readonly operation?: Partial<Manifest["operations"][string]>;
  /** Says of itself what its manifest does not. */
  readonly claims?: string;
}
/** A release with the one operation `act`; answers its digest. */
export function plugin({ perform, reattach, outside = "", manifest = {}, operation = {}, claims = "" }: Written): string {
  const status = { pendingMaxMs: 60_000 };
  const described = {
    effect: reattach === undefined ? "unsafe" : "reattachable",
    input: {},
    output: {},
    ...(reattach && { status }),
    ...operation,
  };
  const whole = { id: "test.plugin", version: "1.0.0", publisher: "tests", permissions: {}, ...manifest };
  const act = `{ ...${JSON.stringify(described)}, perform: async (input, call) => { ${perform} }${reattach === undefined ? "" : `, reattach: async (input, call) => { ${reattach} }`} }`;
  const text = `import { definePlugin, failure } from "@woml/capability";
${outside}
export default definePlugin({ ...${JSON.stringify(whole)}, ${claims} operations: { act: ${act} } });`;
  const release = made({ ...whole, operations: { act: { ...described, perform: () => null } } } as unknown as Plugin, text);
  releases.set(release.digest, release);
  return release.digest;
}
function made(described: Plugin, text: string): Release {
  const manifest = canonical(manifestOf(described));
  const artefact = Buffer.from(text);
  return { digest: digestOf({ manifest, artefact }), manifest, artefact };
}
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member) ? Object.fromEntries(Object.entries(member).sort()) : member,
  );

/** A dispatch of its own name, in time, of tenant `a`. */
export function asked(release: string, more: Partial<Dispatch> = {}): Dispatch {
  count += 1;
  const now = Date.now();
  return {
    ...{ engine: "e1", run: `run-${count}`, epoch: 1, now, notAfter: now + 60_000 },
    ...{ tenant: "a", attempt: 1, key: createHash("sha256").update(String(count)).digest("hex"), try: 1 },
    ...{ release, operation: "act", effect: "unsafe", input: "{}", timeoutMs: 10_000, secrets: {} },
    ...more,
  };
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
/** Plugins' processes of a host: their command line names the folder beside its socket. */
export function pluginsOf(socket: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid).includes(`${socket}.releases`) && alive(pid));
}
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
export async function until(true_: () => boolean, withinMs = 5_000): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!true_()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
