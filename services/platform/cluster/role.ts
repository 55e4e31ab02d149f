import { setTimeout as sleep } from "node:timers/promises";
import { ConfigRefusal, openLog, openStops, type Role, readSettings, type Settings, type Sources, serveHealth } from "@woml/boot";
import { openTelemetry } from "@woml/boot/otel";
import { Refusal } from "../refusal.ts";
import type { Around, RolePart } from "./part.ts";

/** One of the processes that a cluster is made of; `migrate` is none, it ends by itself. */
export type Server = Exclude<Role, "migrate">;
export interface Serving {
  readonly role: Server;
  /** Where it is asked; null for the engine, whom nobody asks. */
  readonly listen: string | null;
  readonly health: string;
  /** Resolves, with the reason, when it has ended by itself. */
  readonly ended: Promise<string>;
  /** Not ready from now on; after WOML_DRAIN_DELAY_MS it stops in order. Never rejects. */
  stop(): Promise<void>;
}
type Common = Pick<Settings<Server>, "WOML_LOG" | "WOML_HEALTH_LISTEN" | "WOML_DRAIN_DELAY_MS" | "WOML_GRACE_MS">;

/** What stopping takes besides the time that what runs is given. */
const STOP_MS = 10_000;

/** Each loads what its role needs and no more: where strangers' code runs there is no database client. */
const PARTS: { readonly [R in Server]: (settings: Settings<R>, around: Around) => Promise<RolePart> } = {
  control: async (settings, around) => (await import("./control.ts")).startPart(settings, around),
  engine: async (settings, around) => (await import("./engine.ts")).startPart(settings, around),
  sandbox: async (settings, around) => (await import("./sandbox.ts")).startPart(settings, around),
  "plugin-host": async (settings, around) => (await import("./plugin-host.ts")).startPart(settings, around),
};

/**
 * Starts one role and resolves when it is at work. Health answers from the first moment, with the reason why it is not ready. Rejects with what
 * waiting does not mend: a refused configuration, a taken port, a database role that may too much.
 */
export async function serveRole(role: Server, sources: Sources, signal: AbortSignal): Promise<Serving> {
  const settings: Common = readSettings(role, sources);
  const log = openLog(role, settings.WOML_LOG);
  const stops = openStops(log, settings.WOML_GRACE_MS + STOP_MS);
  try {
    return await start(role, { settings, sources, log, stops, signal });
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

/** For what cannot be listened at: named by its setting. */
function refusalOf(role: Server, name: "WOML_LISTEN" | "WOML_HEALTH_LISTEN"): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
    const { code, syscall } = error;
    const place = "address" in error && "port" in error ? `${error.address}:${error.port}` : "its address";
    if (code === "EADDRINUSE")
      throw new Refusal("WOML_PORT_TAKEN", `${place} is taken by another program: stop it, or choose another with ${name}.`);
    if (syscall === "listen" || syscall === "bind" || syscall === "getaddrinfo")
      throw new ConfigRefusal(role, [`${name} names a place at which this machine cannot listen (${String(code)})`]);
    throw error;
  };
}

interface Starting {
  readonly settings: Common;
  readonly sources: Sources;
  readonly log: ReturnType<typeof openLog>;
  readonly stops: ReturnType<typeof openStops>;
  readonly signal: AbortSignal;
}

async function start(role: Server, { settings, sources, log, stops, signal }: Starting): Promise<Serving> {
  let reason: string | null = "it is starting";
  let part: RolePart | null = null;
  const telemetry = openTelemetry({ service: `woml-${role}`, log, ...otlpOf(role, sources) });
  stops.add("telemetry", telemetry.close);
  const health = await serveHealth({
    listen: settings.WOML_HEALTH_LISTEN,
    fault: () => reason ?? part?.fault() ?? null,
    // Why it waits at its start is said as it waits.
    turned: (now) => reason === null && (now === null ? log.info("ready") : log.warn({ reason: now }, "not ready")),
    exposition: telemetry.exposition,
  }).catch(refusalOf(role, "WOML_HEALTH_LISTEN"));
  stops.add("health", health.close);
  const waits = (why: string): void => {
    reason = why;
  };
  part = await begin(role, sources, { log, telemetry, signal, waits }).catch(refusalOf(role, "WOML_LISTEN"));
  const { stop } = part;
  stops.add(role, () => stop(settings.WOML_GRACE_MS));
  reason = null;
  return {
    ...{ role, listen: part.listen, health: health.url },
    ended: part.ended ?? new Promise(() => undefined),
    stop: async () => {
      reason = "it is stopping";
      log.info("stops in order");
      await sleep(settings.WOML_DRAIN_DELAY_MS);
      await stops.stop();
      log.info("stopped");
    },
  };
}

function begin<R extends Server>(role: R, sources: Sources, around: Around): Promise<RolePart> {
  return PARTS[role](readSettings(role, sources), around);
}

/** The sandbox tells nobody anything by itself: it has no way out. */
function otlpOf(role: Server, sources: Sources): { readonly otlp?: { readonly endpoint: string; readonly headers?: string } } {
  if (role === "sandbox") return {};
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = readSettings(role, sources);
  if (endpoint === undefined) return {};
  return { otlp: headers === undefined ? { endpoint } : { endpoint, headers } };
}
