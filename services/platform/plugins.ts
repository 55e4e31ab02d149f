import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import type { Log } from "@woml/boot";
import type { Otlp } from "@woml/boot/otel";
import { manifestOf } from "@woml/capability";
import { ensureGrant, ensureRelease } from "@woml/control";
import { openPluginHost, type PluginHost, startPluginHost } from "@woml/plugin-host";
import type { ControlStore, EngineStore, TenantRow } from "@woml/prisma";
import type { Folder } from "./folder.ts";
import { type KeptDoor, openSupervised } from "./supervised.ts";

export interface PluginParts {
  readonly folder: Folder;
  readonly log: Log;
  readonly otlp?: Otlp | undefined;
  /** `host:port` of private places that plugins may reach, exactly. */
  readonly privateHosts: readonly string[];
  readonly store: () => Promise<Pick<EngineStore, "release">>;
  /** PostgreSQL's time as the engine knows it, never ahead of it; null while there is none. A dispatch that waited until its lease was over is known by it. */
  readonly now: () => number | null;
  /** Told each supervisor's pid. */
  readonly started: (pid: number) => void;
}

/** The process that runs plugins. It asks for a release when it first needs it. Rejects with a Refusal. */
export function openPlugins({ folder, log, otlp, privateHosts, store, now, started }: PluginParts): Promise<KeptDoor<PluginHost>> {
  // What plugins log is worth a line only to somebody who looks for it.
  const logLevel = log.isLevelEnabled("debug") ? "debug" : "warn";
  return openSupervised(folder, log, {
    house: "plugins",
    unavailable: "WOML_PLUGIN_HOST_UNAVAILABLE",
    start: (socket) => startPluginHost({ socket, options: { privateHosts, logLevel }, otlp }),
    connect: (socket) => openPluginHost(socket, { release: async (digest) => (await store()).release(digest), now }),
    started,
  });
}

/** Releases the platform's own plugin `http`. A database that holds this version with other content keeps what was approved. Answers its id. */
export async function ensureOwnReleases(store: ControlStore, log: Log): Promise<string> {
  const { default: http } = await import("@woml/http");
  const text = readFileSync(fileURLToPath(import.meta.resolve("@woml/http")), "utf8");
  const artefact = new TextEncoder().encode(stripTypeScriptTypes(text));
  await ensureRelease(store, { manifest: manifestOf(http), artefact }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "WOML_PLUGIN_VERSION_TAKEN")) throw error;
    log.warn({ plugin: http.id, version: http.version }, "the stored release of this version is another one, and stays");
  });
  return http.id;
}

/** Besides, grants it to the tenant that this machine's user is; every other tenant is granted what it may use by the administrator. */
export async function ensurePlugins(store: ControlStore, tenant: string, log: Log): Promise<void> {
  const http = await ensureOwnReleases(store, log);
  const own = (await store.tenants()).find((row: TenantRow) => row.name === tenant);
  if (own) await ensureGrant(store, own.id, http);
}
