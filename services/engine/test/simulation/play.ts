import { faultsOf } from "./check.ts";
import { Story } from "./story.ts";
import type { Tally } from "./tally.ts";

/** Plays the story of a seed and answers what is wrong with how it ended; null: nothing. */
export async function play(seed: number, tally: Tally): Promise<string | null> {
  const story = new Story(seed, tally);
  const isAtRest = await story.play();
  const faults = [...(isAtRest ? [] : ["does not come to rest"]), ...faultsOf(story, tally), ...(await story.ownFaults())];
  return faults.length > 0 ? `seed ${seed}: ${faults.join("; ")}` : null;
}
