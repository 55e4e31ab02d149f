// `npm run matrix [-- WORD…]`: every cell and what the table does not hold, or those whose name holds each word (` / ` is in that of a cell
// alone); a line each, exit 1 where one is not hit or not as the rules have it. `--page` writes docs/failure-semantics.md instead.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { verify } from "./api.ts";
import { EXTRAS } from "./extras.ts";
import { runMatrix } from "./matrix.ts";
import { page } from "./page.ts";
import { CELLS, nameOf } from "./rules.ts";
import { openStage } from "./stage.ts";
import { heading, lineOf } from "./table.ts";

const words = process.argv.slice(2);
if (words[0] === "--page") {
  writeFileSync(join(import.meta.dirname, "../../docs/failure-semantics.md"), page());
  process.exit();
}
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const began = performance.now();
const cells = CELLS.filter((cell) => words.every((word) => nameOf(cell).includes(word)));
const extras = words.length === 0 ? EXTRAS : EXTRAS.filter(({ name }) => words.every((word) => name.includes(word)));
if (cells.length + extras.length === 0) {
  process.stderr.write(`No cell's name holds ${words.join(" and ")}. Such are: ${CELLS.slice(0, 3).map(nameOf).join("; ")}.\n`);
  process.exit(2);
}
const stage = await openStage();
const failures: string[] = [];
try {
  write(heading());
  const rows = await runMatrix(stage, cells, (row) => write(lineOf(row)));
  for (const row of rows) failures.push(...row.complaints.map((what) => `${row.point} / ${row.kill} / ${row.kind}: ${what}`));
  const hits = rows.filter(({ hit }) => hit !== "").length;
  for (const { name, run } of extras) {
    const complaint = await run(stage).then(
      (seen) => void write(`ok  ${name}: ${seen}`),
      (error: Error) => error.message,
    );
    if (complaint !== undefined) failures.push(`${name}: ${complaint}`);
  }
  const { runs, differences } = await verify(stage.api);
  failures.push(...differences);
  write(`${runs} logs folded again, ${differences.length} that differ from their rows`);
  write(`${hits} of ${cells.length} cells hit, ${extras.length} further, ${Math.round((performance.now() - began) / 1_000)} s`);
} finally {
  await stage.close();
}
for (const failure of failures) write(`WRONG  ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
