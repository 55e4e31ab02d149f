/** `npm run simulate -- --seeds N [--from S]`: plays so many stories, says which of them fail and what they have come by. */
import { parseArgs } from "node:util";
import { play } from "./play.ts";
import { Tally } from "./tally.ts";

const options = { seeds: { type: "string", default: "1000" }, from: { type: "string", default: "1" } } as const;
const { from, seeds } = asked();
/** So many seeds come by every kind of point; fewer may miss one. */
const ENOUGH = 2_000;
const tally = new Tally();
let failed = 0;

for (let seed = from; seed < from + seeds; seed++) {
  const fault = await play(seed, tally);
  if (fault === null) continue;
  failed += 1;
  say(fault);
}
say(`${tally}`);
say(`${seeds} seeds from ${from}: ${failed} failed`);
if (seeds >= ENOUGH && tally.missed.length > 0) say(`never met: ${tally.missed.join(", ")}`);
process.exitCode = failed > 0 || (seeds >= ENOUGH && tally.missed.length > 0) ? 1 : 0;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function asked(): { readonly from: number; readonly seeds: number } {
  try {
    const { values } = parseArgs({ options });
    return { from: whole(values.from, "--from"), seeds: whole(values.seeds, "--seeds") };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

function whole(text: string, option: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= 1) return number;
  throw new Error(`${option} takes a whole number from 1, not ${text}.`);
}
