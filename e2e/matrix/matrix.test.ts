// A fixed tenth of the matrix, and what must hold of its table as a whole. The rest by `npm run matrix`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { verify } from "./api.ts";
import { runMatrix } from "./matrix.ts";
import { page } from "./page.ts";
import { CELLS, type Cell, CLASSES, KILLS, nameOf, POINTS, ruleOf } from "./rules.ts";
import { openStage, type Stage } from "./stage.ts";
import { lineOf } from "./table.ts";

const PAGE = join(import.meta.dirname, "../../docs/failure-semantics.md");

test("M1–M4: the table has every cell, and repeats no effect without a reason", () => {
  assert.equal(CELLS.length, POINTS.length * KILLS.length * CLASSES.length);
  assert.equal(new Set(CELLS.map(nameOf)).size, 168);
  for (const cell of CELLS) {
    const { way, status, tries, effects } = ruleOf(cell);
    const name = nameOf(cell);
    assert.equal(way === "person", status === "needs_resolution", name);
    if (status === "succeeded") assert.equal(effects, cell.kind === "pure" ? 0 : 1, name);
    if (cell.kind === "unsafe") assert.deepEqual(tries, [1], name);
    if (way === "again") assert.ok(cell.kind === "pure" || cell.kind === "keyed", name);
    if (way === "asked" || way === "proven absent") assert.match(cell.kind, /^reattachable/, name);
  }
});

test("docs/failure-semantics.md has a line for every cell, and no other; it is what the rules say", () => {
  const text = readFileSync(PAGE, "utf8");
  const sections = text.split(/^## /m).slice(1);
  const lines = sections.flatMap((section) => {
    const point = POINTS.find((one) => section.toLowerCase().startsWith(`${one.toLowerCase()}\n`));
    if (point === undefined) return [];
    const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split(" | ").map((cell) => cell.trim()));
    return rows.slice(2).map(([kill, kind, ...told]) => {
      assert.equal(told.filter((one) => one !== "").length, 3, `${point} / ${kill} / ${kind}`);
      return `${point} / ${kill} / ${kind}`;
    });
  });
  assert.deepEqual(lines.toSorted(), CELLS.map(nameOf).toSorted());
  assert.equal(text, page(), "npm run matrix -- --page writes it anew");
});

const SOME: readonly string[] = ["keyed", "reattachable: succeeded", "unsafe"];
const isTenth = ({ point, kill, kind }: Cell): boolean =>
  (point === "effect done" && kill === "plugin process") ||
  (point === "recorded" && kill === "engine") ||
  (point === "answer received" && kill === "PostgreSQL connection" && SOME.includes(kind));

let stage: Stage | undefined;
before(async () => {
  stage = await openStage();
});
after(() => stage?.close());

test("PC-23: a fixed tenth of the cells, each hit, is as the rules have it, by the ledger's own count", async (t) => {
  assert.ok(stage);
  const cells = CELLS.filter(isTenth);
  assert.equal(cells.length, 17);
  const rows = await runMatrix(stage, cells, (row) => t.diagnostic(lineOf(row)));
  assert.deepEqual(
    rows.flatMap(({ point, kill, kind, complaints }) => complaints.map((what) => `${point} / ${kill} / ${kind}: ${what}`)),
    [],
  );
  assert.equal(rows.length, cells.length);
  assert.deepEqual((await verify(stage.api)).differences, []);
});
