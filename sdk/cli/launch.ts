import type { Platform, PlatformOptions } from "@woml/platform";
import { usage } from "./exit.ts";
import { fromHere } from "./path.ts";

const LEVELS = ["fatal", "error", "warn", "info", "debug", "silent"] as const;

export interface LaunchOptions {
  readonly data: string;
  readonly port: number;
  /** `host:port` of private places that plugins may reach. */
  readonly privateHost?: readonly string[];
}
export interface Launched {
  readonly platform: Platform;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
}

/** A platform in this process. null when a signal came before it was ready; by then nothing of it is left. */
export async function launch({ data, port, privateHost: privateHosts = [] }: LaunchOptions): Promise<Launched | null> {
  const log = level(process.env["WOML_LOG"]);
  const databaseUrl = database(process.env["WOML_DATABASE_URL"]);
  const otlp = collector(process.env["OTEL_EXPORTER_OTLP_ENDPOINT"], process.env["OTEL_EXPORTER_OTLP_HEADERS"]);
  const { interruption, openLog, openPlatform } = await import("@woml/platform");
  const signal = interruption();
  try {
    const options = { data: fromHere(data), port, privateHosts, databaseUrl, otlp, log: openLog("platform", log), signal };
    return { platform: await openPlatform(options), signal };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function level(name = "warn"): (typeof LEVELS)[number] {
  const found = LEVELS.find((one) => one === name);
  if (found) return found;
  throw usage(`WOML_LOG is "${name}"; it is one of ${LEVELS.join(", ")}.`);
}

/** The owner's URL of a PostgreSQL of one's own. It holds a password: no message repeats it. */
function database(url = ""): string | undefined {
  if (url === "" || (URL.canParse(url) && /^postgres(ql)?:\/\//.test(url))) return url || undefined;
  throw usage("WOML_DATABASE_URL is not a URL such as postgres://owner:password@127.0.0.1:5432/woml.");
}

/** Where telemetry goes, if somebody listens. */
function collector(endpoint = "", headers = ""): PlatformOptions["otlp"] {
  if (endpoint === "") return undefined;
  if (!URL.canParse(endpoint) || !/^https?:\/\//.test(endpoint)) {
    throw usage("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as http://127.0.0.1:4318.");
  }
  return headers === "" ? { endpoint } : { endpoint, headers };
}

export const interrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });

/** For commander: one more `host:port`. */
export function parsePrivateHost(text: string, before: readonly string[] = []): readonly string[] {
  if (/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):\d{1,5}$/.test(text)) return [...before, text];
  throw usage(`--private-host is "${text}"; it is a host in lower case and a port, such as 10.0.0.5:8443.`);
}

/** For commander: a TCP port, 0 for any free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usage(`--port is "${text}"; it is a number of 0 to 65535.`);
}
