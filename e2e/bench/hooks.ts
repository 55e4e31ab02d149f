import type { Stage } from "./stage.ts";
import type { Workload } from "./workloads.ts";

const STEPS = ["a", "b", "c"].map((id) => `<step id="${id}"><script>return { ok: true };</script></step>`).join("");
const TEXT = `<woml><workflow id="w6"><triggers><webhook id="in" path="/w6" auth="none"/></triggers><steps>${STEPS}</steps></workflow></woml>`;

/** So many POSTs to a webhook, so many at a time, each with a key of its own, from the first of them to the end of the last run. */
const posted =
  (posts: number, inFlight: number): Workload =>
  async (stage) => {
    await stage.publish(TEXT);
    const batch = `${posts}-${performance.now()}`;
    const runs = new Set<string>();
    let [next, accepted, succeeded, errors] = [0, 0, 0, 0];
    const began = performance.now();
    const work = async (): Promise<void> => {
      while (next < posts) {
        const run = await post(stage, `${batch}-${next++}`);
        if (run === null) errors += 1;
        else {
          accepted += 1;
          runs.add(run);
        }
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    const answeredMs = performance.now() - began;
    for (const run of runs) {
      await stage.ended(run).then(
        () => (succeeded += 1),
        () => (errors += 1),
      );
    }
    const seconds = Math.round(performance.now() - began) / 1_000;
    return {
      posted: posts,
      inFlight,
      accepted,
      succeeded,
      errors,
      seconds,
      answeredS: Math.round(answeredMs) / 1_000,
      unfinished: posts - succeeded,
    };
  };

/** The run that it started; null where it was not taken. */
async function post({ hooks }: Stage, key: string): Promise<string | null> {
  try {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const response = await fetch(`${hooks}/w6`, { method: "POST", headers, body: JSON.stringify({ key }) });
    const { runId } = (await response.json()) as { readonly runId?: string };
    return response.status === 202 && runId !== undefined ? runId : null;
  } catch {
    return null;
  }
}

export const w6: readonly Workload[] = [posted(100, 16), posted(300, 50), posted(1_000, 200)];
