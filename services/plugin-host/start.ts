import { join } from "node:path";
import { type SupervisorProcess, startProcess } from "@woml/child";
import type { HostOptions } from "./options.ts";

/** Starts the supervisor as a process of its own that ends with this one; `socket` as `startProcess` has it. */
export function startPluginHost(given: { readonly socket: string; readonly options?: Partial<HostOptions> }): Promise<SupervisorProcess> {
  const { socket, options = {} } = given;
  return startProcess({ name: "plugin host", entry: join(import.meta.dirname, "main.ts"), socket, args: [JSON.stringify(options)] });
}
