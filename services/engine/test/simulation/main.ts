/** `npm run simulate -- --seeds N [--from S]`: so many stories, what they came by, and those that failed. */
import { parseArgs } from "node:util";
import { faultsOf } from "./check.ts";
import { Story } from "./story.ts";
import { Tally } from "./tally.ts";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "1000" }, from: { type: "string", default: "1" } } });
const from = Number(values.from);
const seeds = Number(values.seeds);
const tally = new Tally();
const failed: string[] = [];
const say = (text: string): void => void process.stdout.write(`${text}\n`);

for (let seed = from; seed < from + seeds; seed++) {
  const story = new Story(seed, tally);
  const isAtRest = await story.play();
  const faults = [...(isAtRest ? [] : ["does not come to rest"]), ...faultsOf(story, tally)];
  if (faults.length > 0) failed.push(`seed ${seed}: ${faults.join("; ")}`);
  if (faults.length > 0) say(failed.at(-1) ?? "");
}
say(`${tally}`);
say(`${seeds} seeds from ${from}, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
