import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "pg";
import { StoreError } from "../error.ts";
import { isGone, isUndone, sqlStateOf } from "../fault.ts";

const refused = (code: string): DatabaseError => Object.assign(new DatabaseError("no", 1, "error"), { code });
/** As Prisma gives it. */
const known = (code: string, originalCode?: string): Error =>
  Object.assign(new Error("no"), {
    code,
    meta: originalCode ? { driverAdapterError: Object.assign(new Error("no"), { cause: { originalCode } }) } : {},
  });

test("PostgreSQL's own code is found wherever it lies", () => {
  assert.equal(sqlStateOf(refused("42501")), "42501");
  assert.equal(sqlStateOf(known("P2010", "42501")), "42501");
  assert.equal(sqlStateOf(new StoreError("WOML_DATABASE_UNAVAILABLE", "no", known("P2010", "55P03"))), "55P03");
  for (const other of [null, undefined, "x", new Error("x"), known("P2028"), { originalCode: "short" }])
    assert.equal(sqlStateOf(other), null);
});

test("a database that went away is told from one that refuses", () => {
  const gone = [
    ...["57P01", "57P02", "57P03", "08006", "08003", "53300"].flatMap((state) => [refused(state), known("P2010", state)]),
    ...["P1001", "P1017", "P2024", "P2028"].map((code) => known(code)),
    ...["ECONNREFUSED", "ECONNRESET", "ENOTFOUND"].map((code) => Object.assign(new Error(""), { code })),
    new Error("Connection terminated unexpectedly"),
    new Error("outer", { cause: new Error("Connection terminated due to connection timeout") }),
  ];
  for (const error of gone) assert.equal(isGone(error), true, String(error));
  for (const error of [refused("42501"), refused("23505"), known("P2010", "28P01"), known("P2002"), new Error("no"), null, "57P01"])
    assert.equal(isGone(error), false, String(error));
  assert.deepEqual([isUndone(refused("55P03")), isUndone(known("P2010", "57014")), isUndone(refused("57P01"))], [true, true, false]);
});

test("an error that is its own cause ends nowhere else", () => {
  const round: Error & { cause?: unknown } = new Error("round");
  round.cause = round;
  assert.deepEqual([isGone(round), sqlStateOf(round)], [false, null]);
});
