import type { Log, Telemetry } from "@woml/boot";
import { openBroker } from "./broker/broker.ts";
import type { Dispatch, Found, Performed } from "./door.ts";
import type { Fences } from "./fence.ts";
import type { HostOptions } from "./options.ts";
import { type Means, perform, reattach } from "./perform.ts";
import { Pool } from "./pool.ts";
import type { Running } from "./registry.ts";
import { Releases, type Source } from "./releases.ts";

export interface WorkshopParts {
  /** Where releases are put before their processes start. */
  readonly folder: string;
  readonly options: HostOptions;
  readonly fences: Fences;
  readonly log: Log;
  readonly telemetry: Telemetry;
}
/** All that performing takes. A module of its own, because loading it costs more than the rest of the supervisor: it is loaded when needed. */
export interface Workshop {
  perform(running: Running): Promise<Performed>;
  reattach(dispatch: Dispatch, source: Source): Promise<Found>;
  close(): Promise<void>;
}

export function openWorkshop({ folder, options, fences, log, telemetry }: WorkshopParts): Workshop {
  const { privateHosts, ownHosts, authorities } = options;
  const broker = openBroker({ privateHosts, ownHosts, authorities });
  const pool = new Pool({ folder, options, broker, log });
  const means: Means = { releases: new Releases(), pool, broker, fences, log, telemetry };
  return {
    perform: (running) => perform(running, means),
    reattach: (dispatch, source) => reattach(dispatch, source, means),
    close: async () => void (await Promise.all([pool.close(), broker.close()])),
  };
}
