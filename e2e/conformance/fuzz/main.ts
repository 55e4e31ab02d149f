// `npm run --silent fuzz -- [--runs N] [--seed S]`: N documents made of those of the corpus and its words, each judged; exit 1 where the
// compiler threw, made a definition that is not accepted, said something untrue, or took too long on a quiet machine. `--show AT` prints
// one of them. A seed makes the same documents for as long as the corpus is the same.
import { parseArgs } from "node:util";
import { CODES } from "@woml/language";
import { made } from "./made.ts";
import { type Failed, type Tally, tally } from "./tally.ts";
import type { Fault } from "./verdict.ts";

const options = { runs: { type: "string", default: "5000" }, seed: { type: "string", default: "1" }, show: { type: "string" } } as const;
const { runs, seed, show } = asked();
if (show === null) report(tally(seed, runs, tell));
else process.stdout.write(made(seed, show).source.text);

function tell({ at, kind, why }: Failed): void {
  process.stdout.write(`${at}\t${kind}\t${why.split("\n").slice(0, 6).join("\n\t")}\n`);
}

function report({ documents, valid, codes, failed, slowest }: Tally): void {
  const count = (kind: Fault): number => failed.filter((one) => one.kind === kind).length;
  const seen = Object.keys(CODES).filter((code) => codes.has(code));
  const lines = [
    `${documents} documents of seed ${seed}: ${valid} valid, ${seen.length} of ${Object.keys(CODES).length} codes`,
    `${count("thrown")} thrown, ${count("refused")} refused by accept, ${count("untrue")} with untrue remarks`,
  ];
  if (slowest) {
    const { ms, kb, share } = slowest.cost;
    const perKb = (ms / kb).toFixed(2);
    lines.push(
      `slowest: ${slowest.at}, ${ms.toFixed(1)} ms for ${kb.toFixed(1)} KB (${perKb} ms per KB), ${(100 * share).toFixed(0)} % of its bound`,
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = failed.length > 0 || (slowest?.cost.share ?? 0) > 1 ? 1 : 0;
}

function asked(): { readonly runs: number; readonly seed: number; readonly show: number | null } {
  try {
    const { values } = parseArgs({ options });
    const shown = values.show === undefined ? null : whole(values.show, "--show");
    return { runs: whole(values.runs, "--runs"), seed: whole(values.seed, "--seed"), show: shown };
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
