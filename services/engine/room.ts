import type { RunKey } from "@woml/run";
import type { Arrival } from "./arrival.ts";
import type { Definitions, Prepared } from "./definitions.ts";
import type { Driver } from "./driver.ts";
import type { Means } from "./perform/perform.ts";

/** What the drivers of an engine share. */
export interface Room extends Means {
  readonly definitions: Definitions;
  /** The driver has let go of its run; `wakeAt` says when the run is due again, if it only waits. */
  readonly left: (driver: Driver, wakeAt: number | null) => void;
  /** Consumed, answered, or given up for now. */
  readonly settled: (requests: readonly string[]) => void;
  /** In a lane there is a place that one of its runs has left; or there was none for a run. */
  readonly placeFree: () => void;
  readonly noPlace: () => void;
}
export interface Driven extends RunKey {
  readonly epoch: number;
  /** null when it could not be read: then the run is only refused, or cancelled. */
  readonly prepared: Prepared | null;
  /** Only for a run that has no row yet. */
  readonly admission: { readonly workflow: string; readonly version: string; readonly labels: readonly string[] } | null;
  /** Its admission as it is traced. */
  readonly arrival?: Arrival;
  /** Why it is held, if it was taken all the same: to be cancelled, and nothing else. */
  readonly held: string | null;
}
