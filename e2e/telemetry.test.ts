// docs/telemetry.md lists every metric and every attribute, as they are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { METRICS } from "@woml/boot";
import { ATTRIBUTES } from "@woml/boot/otel";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "telemetry.md"), "utf8");
const rows = [...page.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split(" | ").map((cell) => cell.trim()));

test("every metric stands in docs/telemetry.md with its kind, its labels and what it says, and no other", () => {
  const told = rows.filter(([first = ""]) => /^`woml_\w+`$/.test(first));
  const are = Object.entries(METRICS).map(([name, { kind, by, says }]) => {
    const labels = by.map((label) => `\`${label}\``).join(", ") || "–";
    return [`\`${name}\``, kind, labels, says];
  });
  assert.deepEqual(told, are);
});

test("every attribute of a span stands there, and no other", () => {
  const told = new Set(rows.flatMap(([first = ""]) => [...first.matchAll(/`woml\.(\w+)`/g)].map(([, name]) => name)));
  assert.deepEqual([...told].sort(), [...ATTRIBUTES].toSorted());
});
