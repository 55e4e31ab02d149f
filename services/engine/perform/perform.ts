import { RESUME_PAUSE_MS } from "../bounds.ts";
import type { World } from "../engine.ts";
import type { Flight } from "../flights.ts";
import type { Asked } from "../judge.ts";
import type { Dispatch } from "./dispatch.ts";
import { failedReport, reportOf } from "./report.ts";
import { type Script, scriptFrame } from "./script.ts";

/**
 * Sends an attempt whose start (or resume) is stored, and answers how to take it back. `heard` is called once with what the outcome asks
 * of the run; calling that throws where the script could not even be put together.
 */
export function perform(
  room: { readonly world: Pick<World, "digest">; readonly dispatch: Dispatch },
  flight: Flight,
  script: Omit<Script, "node" | "attempt">,
  heard: (ask: () => Asked) => void,
): () => void {
  const frame = (): ReturnType<typeof scriptFrame> | null => {
    try {
      return scriptFrame(room.world, { ...script, node: flight.node, attempt: flight.attempt });
    } catch (error) {
      heard(() => {
        throw error;
      });
      return null;
    }
  };
  return room.dispatch.send({
    tenant: script.key.tenant,
    pauseMs: RESUME_PAUSE_MS * (2 ** Math.max(0, flight.resumed - 1) - 1),
    frame: () => {
      const made = frame();
      if (made === null || !("code" in made)) return made;
      heard(() => failedReport(flight, made));
      return null;
    },
    heard: (outcome) => heard(() => reportOf(flight, outcome)),
  });
}
