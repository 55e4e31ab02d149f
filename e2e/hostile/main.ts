// `npm run --silent hostile -- --dir DIR`: a JSON line per script of DIR; where DIR has an expected.tsv, exit 1 on a difference.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { runTrials } from "./trial.ts";

const { values } = parseArgs({ options: { dir: { type: "string" } } });
const home = process.env["INIT_CWD"] ?? process.cwd();
const folder = values.dir === undefined ? `${import.meta.dirname}/scripts` : resolve(home, values.dir);
if (!existsSync(folder)) {
  process.stderr.write(`There is no folder ${folder}.\n`);
  process.exit(2);
}
const complaints = await runTrials(folder, (trial) => process.stdout.write(`${JSON.stringify(trial)}\n`), 1);
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;
