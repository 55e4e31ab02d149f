import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accept, type Definition, type Graph, graph, type Node } from "../index.ts";
import { normalise } from "../normalise.ts";
import { armsFrom } from "../opener.ts";
import { link, topological } from "../order.ts";
import { hasOutput } from "../visibility.ts";
import { arbitraryDefinition, arbitraryWhole } from "./definitions.ts";
import { tried } from "./tried.ts";

/** A flow to be played, and what its nodes see because a loop around it does. */
interface Ground {
  readonly walk: Graph;
  readonly nodes: readonly Node[];
  readonly order: readonly string[];
  readonly around: readonly string[];
}
/** Which arm each opener of a choice takes, by its id. */
type Taken = ReadonlyMap<string, string>;

/** The definition's own flow, then the bodies of its loops. */
function grounds(definition: Definition): readonly Ground[] {
  const walk = graph(definition);
  const { nodes, edges } = normalise(definition);
  const bodies = nodes.flatMap((node) => (node.kind === "for-each" ? node : []));
  return [
    { walk, nodes, order: topological(link({ nodes, edges })), around: [] },
    ...bodies.map(({ id, body }) => ({
      ...{ walk: walk.body(id), nodes: body.nodes, order: topological(link(body)), around: walk.visible(id) },
    })),
  ];
}

/** What a run does that takes these arms: by id of every node that starts, all that has completed before it. */
function play({ walk, order }: Ground, taken: Taken): ReadonlyMap<string, ReadonlySet<string>> {
  const before = new Map<string, ReadonlySet<string>>();
  for (const id of order) {
    const incoming = walk.incoming(id);
    const isLive = (from: string, arm: string | undefined): boolean =>
      arm === undefined || walk.node(from).kind === "fork" || taken.get(from) === arm;
    const live = incoming.filter(({ from, arm }) => before.has(from) && isLive(from, arm));
    if (incoming.length > 0 && live.length === 0) continue;
    const node = walk.node(id);
    if (node.kind !== "choice") assert.equal(live.length, incoming.length, `${id} starts while an edge to it is dead`);
    else {
      const opener = walk.openerOf(id);
      for (const { from, arm } of live) assert.equal(from === opener ? arm : walk.armOf(from)?.arm, taken.get(opener), id);
    }
    before.set(id, new Set(live.flatMap(({ from }) => [from, ...(before.get(from) ?? [])])));
  }
  return before;
}

/** All ways through the choices, or the first 64 of them. */
function ways({ nodes }: Ground): readonly Taken[] {
  let all: Map<string, string>[] = [new Map()];
  for (const node of nodes) {
    const arms = armsFrom(node);
    if (arms) all = all.flatMap((way) => arms.map((arm) => new Map([...way, [node.id, arm]]))).slice(0, 65);
  }
  return all;
}

function check(definition: Definition): void {
  for (const ground of grounds(definition)) checkFlow(ground, definition.result);
}

function checkFlow(ground: Ground, result: string): void {
  const { walk, nodes, around } = ground;
  const all = ways(ground);
  const runs = all.slice(0, 64).map((taken) => play(ground, taken));
  for (const { id } of nodes) {
    const started = runs.flatMap((run) => run.get(id) ?? []);
    const sure = started.reduce((a, b) => a.intersection(b), new Set(started[0]));
    const outputs = [...around, ...[...sure].filter((other) => hasOutput(walk.node(other)))].sort();
    if (all.length <= 64) assert.deepEqual(walk.visible(id), outputs, id);
    else for (const seen of walk.visible(id)) assert.ok(outputs.includes(seen) || started.length === 0, `${id} sees ${seen}`);
  }
  for (const run of runs) {
    if (walk.has(result)) assert.ok(run.has(result), "the result completes");
    const ends = [...walk.entries, ...walk.terminals];
    for (const id of ends) assert.ok(run.has(id) || walk.armOf(id) !== null, `${id} completes`);
    const last = new Set(walk.terminals.flatMap((id) => (run.has(id) ? [id, ...(run.get(id) ?? [])] : [])));
    for (const id of run.keys()) assert.ok(last.has(id), `${id} has settled when the last nodes have`);
  }
}

test("whichever arms a run takes, what a node sees has completed, and exactly that", () => {
  fc.assert(fc.property(arbitraryDefinition, check), { numRuns: tried(150) });
  fc.assert(fc.property(arbitraryWhole, check), { numRuns: tried(150) });
});

test("so it is for whatever accept still takes after edges were drawn and cut at random", () => {
  let taken = 0;
  const edits = fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.oneof(arbitraryDefinition, arbitraryWhole), edits, (definition, pairs) => {
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
