import { join } from "node:path";
import { type SupervisorProcess, startProcess } from "@woml/child";
import type { PoolOptions } from "./options.ts";

/** Starts the supervisor as a process of its own that ends with this one; `socket` as `startProcess` has it. */
export function startSupervisor(options: { readonly socket: string; readonly pool?: Partial<PoolOptions> }): Promise<SupervisorProcess> {
  const { socket, pool = {} } = options;
  return startProcess({ name: "sandbox", entry: join(import.meta.dirname, "main.ts"), socket, args: [JSON.stringify(pool)] });
}
