import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accept, type Definition, type Graph, graph } from "../index.ts";
import { normalise } from "../normalise.ts";
import { link, topological } from "../order.ts";
import { arbitraryDefinition } from "./definitions.ts";

/** Which arm each select takes, by its id. */
type Taken = ReadonlyMap<string, string>;

/** What a run does that takes these arms: by id of every node that starts, all that has completed before it. */
function play(walk: Graph, taken: Taken): ReadonlyMap<string, ReadonlySet<string>> {
  const before = new Map<string, ReadonlySet<string>>();
  for (const id of topological(link(normalise(walk.definition)))) {
    const incoming = walk.incoming(id);
    const live = incoming.filter(({ from, arm }) => before.has(from) && (arm === undefined || taken.get(from) === arm));
    if (incoming.length > 0 && live.length === 0) continue;
    const node = walk.node(id);
    if (node.kind !== "choice") assert.equal(live.length, incoming.length, `${id} starts while an edge to it is dead`);
    if (node.kind === "choice") for (const { from } of live) assert.equal(walk.armOf(from)?.arm, taken.get(walk.openerOf(id)), id);
    before.set(id, new Set(live.flatMap(({ from }) => [from, ...(before.get(from) ?? [])])));
  }
  return before;
}

/** All ways through the choices, or the first 64 of them. */
function ways(definition: Definition): readonly Taken[] {
  let all: Map<string, string>[] = [new Map()];
  for (const node of definition.nodes) {
    if (node.kind !== "select") continue;
    const arms = [...node.arms.map(({ arm }) => arm), node.otherwise];
    all = all.flatMap((way) => arms.map((arm) => new Map([...way, [node.id, arm]]))).slice(0, 65);
  }
  return all;
}

function check(definition: Definition): void {
  const walk = graph(definition);
  const all = ways(definition);
  const runs = all.slice(0, 64).map((taken) => play(walk, taken));
  for (const { id } of definition.nodes) {
    const started = runs.flatMap((run) => run.get(id) ?? []);
    const sure = started.reduce((a, b) => a.intersection(b), new Set(started[0]));
    const outputs = [...sure].filter((other) => ["step", "choice"].includes(walk.node(other).kind)).sort();
    if (all.length <= 64) assert.deepEqual(walk.visible(id), outputs, id);
    else for (const seen of walk.visible(id)) assert.ok(sure.has(seen) || started.length === 0, `${id} sees ${seen}`);
  }
  for (const run of runs) {
    assert.ok(run.has(definition.result), "the result completes");
    for (const id of [...walk.entries, ...walk.terminals]) assert.ok(run.has(id), `${id} completes`);
    const last = new Set(walk.terminals.flatMap((id) => [id, ...(run.get(id) ?? [])]));
    for (const id of run.keys()) assert.ok(last.has(id), `${id} has settled when the last nodes have`);
  }
}

test("whichever arms a run takes, what a node sees has completed, and exactly that", () => {
  fc.assert(fc.property(arbitraryDefinition, check), { numRuns: 200 });
});

test("so it is for whatever accept still takes after edges were drawn and cut at random", () => {
  let taken = 0;
  const edits = fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(arbitraryDefinition, edits, (definition, pairs) => {
      const mutant = structuredClone(definition);
      const order = topological(link(normalise(definition)));
      for (const [a, b] of pairs) {
        const [from, to] = [a % order.length, b % order.length].sort((one, other) => one - other).map((at) => order[at]);
        if (a % 4 === 0 || !from || !to) mutant.edges.splice(b % Math.max(mutant.edges.length, 1), 1);
        else mutant.edges.push({ from, to });
      }
      const answer = accept(mutant);
      if (!("definition" in answer)) return;
      taken += 1;
      check(answer.definition);
    }),
    { numRuns: 600 },
  );
  assert.ok(taken >= 20, `only ${taken} were taken`);
});
