// What `npm run helm` says of the chart without starting anything, as far as it is quick: the chart itself, and the bad charts that are named
// in its documentation. Helm is fetched by `npm run helm`; without it here, this part is left to that.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { ROOT } from "../support/platform.ts";
import { documented } from "./documented.ts";
import type { Fact } from "./fact.ts";
import { misguided } from "./guide.ts";
import type { Means } from "./judge.ts";
import { strictModel } from "./model.ts";
import { tellBad, tellRendered } from "./static.ts";
import { openTools, toolsAtHand, toolsLack } from "./tools.ts";

const CHART = join(ROOT, "charts", "woml");
const ALL = process.env["WOML_REQUIRE_ALL"] === "1";

async function means(t: TestContext): Promise<Means | null> {
  const tools = toolsAtHand() ?? (ALL && toolsLack() === null ? await openTools() : null);
  if (tools !== null) return { helms: tools.helms, complain: strictModel(tools.model) };
  if (ALL) assert.fail(toolsLack() ?? "no Helm");
  t.skip(toolsLack() ?? "Helm is not here yet: npm run helm fetches it");
  return null;
}

type Tree = { readonly [name: string]: Tree | string | number | boolean | readonly unknown[] };
const isTree = (value: Tree[string] | undefined): value is Tree => typeof value === "object" && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function pathsOf(tree: Tree): readonly (readonly string[])[] {
  return Object.entries(tree).flatMap(([name, value]) => [[name], ...(isTree(value) ? pathsOf(value).map((path) => [name, ...path]) : [])]);
}

function at(tree: Tree, [name = "", ...rest]: readonly string[]): Tree[string] | undefined {
  const found = tree[name];
  return rest.length > 0 && isTree(found) ? at(found, rest) : found;
}

function without(tree: Tree, [name = "", ...rest]: readonly string[]): Tree {
  const { [name]: found, ...others } = tree;
  return rest.length > 0 && isTree(found) ? { ...others, [name]: without(found, rest) } : others;
}

const wrong = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));

test("values, their schema, the README and the processes' defaults say the same", () => {
  assert.deepEqual(
    documented().flatMap(({ faults }) => faults),
    [],
  );
});

// An empty line in a values file (`networkPolicy:`) takes a default away: Helm then renders without it, and never says so.
test("a default that somebody takes away is missed, unless it is empty", () => {
  const values: Tree = parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
  const isRight = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")));
  assert.ok(isRight(values), JSON.stringify(isRight.errors));
  const tried = pathsOf(values).filter((path) => !["", "[]", "{}"].includes(text(at(values, path))));
  assert.ok(tried.length > 90, `${tried.length} values`);
  assert.deepEqual(
    tried.filter((path) => isRight(without(values, path))).map((path) => path.join(".")),
    [],
  );
});

test("a Secret that docs/cluster.md does not have made is met", () => {
  const env = [
    { name: "A", valueFrom: { secretKeyRef: { name: "woml-line", key: "sandbox-secret" } } },
    { name: "B", valueFrom: { secretKeyRef: { name: "woml-line", key: "nothing" } } },
  ];
  const spec = { containers: [{ name: "one", image: "one", env }] };
  assert.deepEqual(misguided([{ apiVersion: "v1", kind: "Pod", metadata: { name: "one" }, spec }]), [
    "nobody is told to make the Secret woml-line with nothing",
  ]);
});

test("Helm 3 and 4 render one chart, under all values, that a strict cluster would take", async (t) => {
  const found = await means(t);
  if (found === null) return;
  const facts: Fact[] = [];
  await tellRendered(found, (fact) => facts.push(fact));
  assert.deepEqual(wrong(facts), []);
  assert.ok(facts.length > 30, `${facts.length} facts`);
});

test("bad charts are met, each for its reason", async (t) => {
  const found = await means(t);
  if (found === null) return;
  const facts: Fact[] = [];
  const names = ["probe typo", "missing env", "root user", "egress for sandbox", "hook needing an in-release secret", "replicas as string"];
  // One Helm is enough to tell that a mistake is met; npm run helm takes both.
  await tellBad({ ...found, helms: found.helms.slice(0, 1) }, (fact) => facts.push(fact), names);
  assert.deepEqual(wrong(facts), []);
  assert.equal(facts.length, names.length);
});
