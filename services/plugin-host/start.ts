import { join } from "node:path";
import type { Otlp } from "@woml/boot/otel";
import { type SupervisorProcess, startProcess } from "@woml/child";
import type { HostOptions } from "./options.ts";

interface Given {
  readonly socket: string;
  readonly options?: Partial<HostOptions>;
  /** Where its spans go. */
  readonly otlp?: Otlp | undefined;
}

/** Starts the supervisor as a process of its own that ends with this one; `socket` as `startProcess` has it. */
export function startPluginHost({ socket, options = {}, otlp }: Given): Promise<SupervisorProcess> {
  const entry = join(import.meta.dirname, "main.ts");
  return startProcess({ name: "plugin host", entry, socket, args: [JSON.stringify(options)], env: otlp === undefined ? {} : envOf(otlp) });
}

/** Headers open something: never on a command line. */
function envOf({ endpoint, headers }: Otlp): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...(headers === undefined ? {} : { OTEL_EXPORTER_OTLP_HEADERS: headers }) };
}
