import type { Row } from "./verdict.ts";

const COLUMNS: readonly (readonly [string, number, (row: Row) => string])[] = [
  ["point", 21, (row) => row.point],
  ["kill", 21, (row) => row.kill],
  ["class", 25, (row) => row.kind],
  ["run", 35, (row) => row.run],
  ["operation", 33, (row) => row.operation],
  ["sent", 4, (row) => String(row.sent)],
  ["asked", 5, (row) => String(row.asked)],
  ["effects", 7, (row) => String(row.effects)],
  ["verdict", 7, (row) => (row.complaints.length === 0 ? "ok" : "WRONG")],
  ["a person", 36, (row) => row.said],
  ["evidence", 0, (row) => row.evidence],
  ["hit", 0, (row) => row.hit],
];

export const heading = (): string => COLUMNS.map(([title, width]) => title.padEnd(width)).join(" | ");
export const lineOf = (row: Row): string => COLUMNS.map(([, width, of]) => of(row).padEnd(width)).join(" | ");
