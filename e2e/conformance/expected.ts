// What a table says that the language should have said, and where the two differ.
import type { Judged } from "./judge.ts";

/** A row of expected.tsv. `either`: the language may be of two minds. `place`: where the first error begins, if the row says so. */
export interface Row {
  readonly file: string;
  readonly verdict: "valid" | "invalid" | "either";
  readonly codes: readonly string[];
  readonly place: { readonly line: number; readonly column: number } | null;
}
interface Difference {
  readonly file: string;
  readonly what: "verdict" | "code" | "document" | "row";
  readonly expected: string;
  readonly found: string;
}
export interface Compared {
  readonly differences: readonly Difference[];
  /** Of the rows that say where the first error begins: how many there are, and those that begin elsewhere. */
  readonly places: { readonly total: number; readonly others: readonly { file: string; expected: string; found: string }[] };
}

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  file: ["path", "file", "document"],
  verdict: ["expect", "verdict", "expected"],
  codes: ["codes", "code"],
  notes: ["notes", "start", "place"],
};

/** Reads a table with a heading. Throws an Error that says which line cannot be read. */
export function readRows(text: string): readonly Row[] {
  const [heading = "", ...lines] = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const names = heading.split("\t").map((name) => name.trim().toLowerCase());
  const at = Object.fromEntries(Object.entries(COLUMNS).map(([key, words]) => [key, names.findIndex((name) => words.includes(name))]));
  if (at["file"] === -1 || at["verdict"] === -1) throw new Error("the heading names no column for the document or for the verdict");
  return lines.flatMap((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return [];
    const cells = line.split("\t");
    const cell = (key: string): string => cells[at[key] ?? -1]?.trim() ?? "";
    const verdict = cell("verdict");
    if (verdict !== "valid" && verdict !== "invalid" && verdict !== "either") {
      throw new Error(`line ${index + 2}: ${JSON.stringify(verdict)} is none of valid, invalid, either`);
    }
    return [
      {
        file: cell("file"),
        verdict,
        codes: cell("codes")
          .split(/[\s,;|]+/)
          .filter(Boolean),
        place: placeIn(cell("notes")),
      },
    ];
  });
}

function placeIn(notes: string): Row["place"] {
  const [, line, column] = /(?:^|\s)(\d+):(\d+)\b/.exec(notes) ?? [];
  return line === undefined ? null : { line: Number(line), column: Number(column) };
}

export function compare(judged: readonly Judged[], rows: readonly Row[]): Compared {
  const known = new Map(judged.map((one) => [one.file, one]));
  const named = new Set(rows.map(({ file }) => file));
  const placed = rows.filter(({ place, verdict }) => place !== null && verdict === "invalid");
  const others = placed.flatMap((row) => {
    const [expected, found] = [spot(row.place), spot(known.get(row.file)?.start ?? null)];
    return expected === found ? [] : [{ file: row.file, expected, found }];
  });
  return {
    differences: [
      ...rows.flatMap((row) => differenceOf(row, known.get(row.file))),
      ...judged.filter(({ file }) => !named.has(file)).map((one) => difference(one.file, "row", "a row", "none")),
    ],
    places: { total: placed.length, others },
  };
}

function differenceOf(row: Row, found: Judged | undefined): readonly Difference[] {
  const said = row.codes.join(" ");
  if (!found) return [difference(row.file, "document", `${row.verdict} ${said}`.trim(), "no such document")];
  const codes = found.codes.join(" ");
  if (row.verdict !== "either" && row.verdict !== found.verdict) {
    return [difference(row.file, "verdict", `${row.verdict} ${said}`.trim(), `${found.verdict} ${codes}`.trim())];
  }
  const all = new Set([...found.codes, ...found.warnings]);
  const isMissed = row.verdict !== "either" && row.codes.some((code) => !all.has(code));
  return isMissed ? [difference(row.file, "code", said, codes)] : [];
}

const difference = (file: string, what: Difference["what"], expected: string, found: string): Difference => ({
  file,
  what,
  expected,
  found,
});

const spot = (place: { readonly line: number; readonly column: number } | null): string =>
  place === null ? "nowhere" : `${place.line}:${place.column}`;
