import { canonical, type Definition, type Graph, graph, type Node } from "@woml/model";
import { nodeAt, type RunEvent } from "@woml/run";
import { type Fact, factsOf } from "./what-if/facts.ts";
import { recordingOf } from "./what-if/record.ts";
import { type Replayed, replay } from "./what-if/replay.ts";

/** What was and would be, in words; null: it did not, or would not, come to that; `unknown`: nobody can tell; `would run`: nothing is recorded of it. */
export interface Difference {
  readonly what: Fact["what"];
  /** Where in the run: a step, a choice, a loop …; "" for the run. */
  readonly of: string;
  readonly recorded: string | null;
  readonly whatIf: string | null;
}
export interface WhatIf {
  readonly differences: readonly Difference[];
  /** Sites that would run, or wait for a person, and of which the run recorded nothing: what stands behind them is not known. */
  readonly wouldRun: readonly string[];
  /** Steps that have another script than in the version of the run: what that had come to is taken all the same. */
  readonly rewritten: readonly string[];
}
export interface Supposed {
  /** A run's events as stored, or as an API shows them. */
  readonly log: readonly RunEvent[];
  /** The version of the run; null where nobody has it. */
  readonly version: Definition | null;
  readonly against: Definition;
}

/**
 * What another definition would have decided in a recorded run, by what its scripts came to then. Pure: nothing runs, and nothing is called. null:
 * the log does not begin with an admission, or the run began at a node that the definition does not have.
 */
export function whatIf({ log, version, against }: Supposed): WhatIf | null {
  const recording = recordingOf(log);
  const from = recording?.admitted.resumed?.from;
  if (recording === null || (from !== undefined && !graph(against).has(from))) return null;
  const replayed = replay(against, recording);
  return { differences: differencesOf(log, replayed), wouldRun: replayed.unknown, rewritten: rewritten(version, against) };
}

function differencesOf(log: readonly RunEvent[], replayed: Replayed): readonly Difference[] {
  const recorded = factsOf(log);
  const supposed = factsOf(replayed.log);
  const judge = judgeOf(replayed);
  return [...new Set([...recorded.keys(), ...supposed.keys()])].flatMap((key) => {
    const about = recorded.get(key) ?? supposed.get(key);
    if (about === undefined) return [];
    const was = recorded.get(key)?.is ?? null;
    const would = judge(about, supposed.get(key)?.is ?? null);
    return was === would ? [] : [{ what: about.what, of: about.of, recorded: was, whatIf: would }];
  });
}

/** What is to be said of a fact; `would` is what the replay came to. */
function judgeOf({ graph: flow, unknown }: Replayed): (fact: Fact, would: string | null) => string | null {
  const sites = new Set(unknown);
  const behind = reach(
    flow,
    unknown.map((site) => nodeAt(site)),
  );
  return ({ what, of }, would) => {
    if (what === "step" && sites.has(of)) return "would run";
    const node = nodeAt(of.split("/")[0] ?? of);
    const isOpen = what === "loop" && behind.has(node);
    if (would !== null && !isOpen) return would;
    return (unknown.length > 0 && of === "") || behind.has(node) ? "unknown" : null;
  };
}

/** The nodes, all that stands behind them, and the loops in which they stand, with all of their bodies: other iterations wait for these. */
function reach(flow: Graph, from: readonly string[]): ReadonlySet<string> {
  const found = new Set(from);
  for (const id of found) {
    const loop = flow.loopOf(id);
    const inside = loop === null ? flow : flow.body(loop);
    const node = inside.node(id);
    for (const { to } of inside.outgoing(id)) found.add(to);
    if (loop !== null) found.add(loop);
    if (node.kind === "for-each") for (const inner of node.body.nodes) found.add(inner.id);
  }
  return found;
}

function rewritten(version: Definition | null, against: Definition): readonly string[] {
  if (version === null) return [];
  const before = new Map(scriptsOf(version.nodes));
  return scriptsOf(against.nodes).flatMap(([id, text]) => (before.has(id) && before.get(id) !== text ? [id] : []));
}

function scriptsOf(nodes: readonly Node[]): readonly (readonly [id: string, text: string])[] {
  return nodes.flatMap((node) => {
    if (node.kind === "for-each") return scriptsOf(node.body.nodes);
    return node.kind === "step" ? [[node.id, canonical([node.script.source, { ...node.reusable }])] as const] : [];
  });
}
