// The text format of Prometheus, version 0.0.4, read strictly: what it says of a line, of names, of labels, of the order of a family's lines and
// of what a histogram has to hold.
import { strict as assert } from "node:assert";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export interface Family {
  readonly kind: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"';
const LINE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const NUMBER = /^(?:[+-]?Inf|NaN|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

export function readExposition(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith("\n"), "the last line has to end");
  const families = new Map<string, Family>();
  const open = { name: "", help: "" };
  for (const line of text.slice(0, -1).split("\n")) {
    if (line === "") continue;
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      assert.ok(!families.has(name), `${name} comes twice`);
      Object.assign(open, { name, help: rest });
    } else if (keyword === "TYPE") {
      assert.equal(open.name, name, `${name} has its TYPE before its HELP`);
      assert.match(rest, /^(counter|gauge|histogram)$/);
      families.set(name, { kind: rest, help: open.help, samples: [] });
    } else familyOf(families, open.name, line).samples.push(sampleOf(line));
  }
  for (const [name, family] of families) judge(name, family);
  return families;
}

function familyOf(families: ReadonlyMap<string, Family>, name: string, line: string): Family {
  const family = families.get(name);
  assert.ok(family, `a sample outside its family: ${line}`);
  return family;
}

function sampleOf(line: string): Sample {
  const [, name, labels = "", value] = LINE.exec(line) ?? [];
  assert.ok(name !== undefined && value !== undefined && NUMBER.test(value), `no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = "", text = ""]) => [label, text])),
    value: Number(value.replace("Inf", "Infinity")),
  };
}

function judge(name: string, { kind, samples }: Family): void {
  const keys = samples.map((sample) => JSON.stringify([sample.name, sample.labels]));
  assert.equal(new Set(keys).size, keys.length, `${name} says one thing twice`);
  if (kind === "counter") assert.match(name, /_total$/);
  if (kind !== "histogram") assert.ok(samples.every((sample) => sample.name === name));
  else judgeHistogram(name, samples);
}

function judgeHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const [labels, all] of series) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = "" } }) => Number(le.replace("+Inf", "Infinity")));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      `${name}${labels}: buckets grow`,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name}${labels}: buckets are cumulative`,
    );
    assert.equal(all.find((sample) => sample.name === `${name}_count`)?.value, counts.at(-1));
    assert.ok(all.some((sample) => sample.name === `${name}_sum`));
  }
}
