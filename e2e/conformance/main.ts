// `npm run --silent conformance -- --dir DIR [--profile 1.0] [--json]`: what the language says of each .woml directly in DIR, a line each. Where
// DIR has an expected.tsv, a table of the differences behind it (with --json on stderr); exit 1 on any.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Compared, compare, readRows } from "./expected.ts";
import { documentsOf, type Judged, judge, type Profile } from "./judge.ts";

/** In percent: fewer than this many first errors where the table has them is a difference too. */
const LEAST_PLACES = 95;

// A reader that has gone away (`| head`) wants no more.
process.stdout.on("error", () => process.exit(1));
const { dir, profile, json } = options();
const judged: Judged[] = [];
for (const file of documentsOf(dir)) {
  const one = judge(dir, file, profile);
  judged.push(one);
  process.stdout.write(json ? `${JSON.stringify(one)}\n` : `${line(one)}\n`);
}
const table = join(dir, "expected.tsv");
if (existsSync(table)) {
  const compared = compare(judged, rowsOf(table));
  const { text, isSame } = verdict(compared, judged);
  (json ? process.stderr : process.stdout).write(text);
  process.exitCode = isSame ? 0 : 1;
}

function options(): { readonly dir: string; readonly profile: Profile | undefined; readonly json: boolean } {
  const { values } = parseArgs({ options: { dir: { type: "string" }, profile: { type: "string" }, json: { type: "boolean" } } });
  const home = process.env["INIT_CWD"] ?? process.cwd();
  const folder = values.dir === undefined ? join(import.meta.dirname, "documents") : resolve(home, values.dir);
  if (!existsSync(folder)) end(`There is no folder ${folder}.`);
  if (values.profile !== undefined && values.profile !== "1.0") end(`There is no profile ${values.profile}; there is 1.0.`);
  return { dir: folder, profile: values.profile, json: values.json === true };
}

function rowsOf(path: string): ReturnType<typeof readRows> {
  try {
    return readRows(readFileSync(path, "utf8"));
  } catch (error) {
    return end(`${path}: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function end(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function line({ file, verdict, codes, start, warnings, thrown }: Judged): string {
  const place = start === null ? "" : `${start.line}:${start.column} (offset ${start.offset})`;
  const warned = warnings.length > 0 ? `warnings: ${warnings.join(" ")}` : "";
  return [file, verdict, codes.join(" "), place, warned, thrown ?? ""].join("\t").trimEnd();
}

function verdict({ differences, places }: Compared, all: readonly Judged[]): { readonly text: string; readonly isSame: boolean } {
  const equal = places.total - places.others.length;
  const percent = places.total === 0 ? 100 : (100 * equal) / places.total;
  const rows = [
    ...differences.map(({ file, what, expected, found }) => `${file}\t${what}\t${expected}\t${found}`),
    ...places.others.map(({ file, expected, found }) => `${file}\tplace\t${expected}\t${found}`),
  ];
  const count = (word: Judged["verdict"]): number => all.filter((one) => one.verdict === word).length;
  const text = [
    "",
    ...(rows.length > 0 ? ["document\tdiffers in\texpected\tfound", ...rows, ""] : []),
    `${all.length} documents: ${count("valid")} valid, ${count("invalid")} invalid, ${count("thrown")} at which the compiler throws`,
    `${differences.length} differences of verdict or code`,
    `${equal} of ${places.total} first errors begin where expected (${percent.toFixed(1)} %; at least ${LEAST_PLACES} % are asked for)`,
    "",
  ].join("\n");
  return { text, isSame: differences.length === 0 && percent >= LEAST_PLACES };
}
