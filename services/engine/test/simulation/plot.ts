import { accept, canonical, type Definition, graph, type StepNode } from "@woml/model";
import { arbitraryDefinition } from "@woml/model/testing";
import fc from "fast-check";
import type { Chance } from "./chance.ts";
import { digest } from "./process.ts";
import { type Program, programFor, SECRET, timesOf } from "./program.ts";
import { CAPABILITY, OPERATIONS, RELEASE } from "./wares.ts";
import type { Known } from "./witness.ts";

/** A definition as it is stored, and how often each purpose of its programs may have its effect. */
export interface Plot extends Pick<Known, "version" | "graph" | "times"> {
  readonly text: string;
}
const CALLS = Object.keys(OPERATIONS)
  .map((name) => `shop.${name}`)
  .toSorted();
const USES: Definition["uses"] = [{ alias: "shop", capability: CAPABILITY, range: "^1", bound: { version: "1.0.0", release: RELEASE } }];

/** Two random definitions; `isArmed`: some of their steps call. */
export function plots(chance: Chance, isArmed: boolean): readonly [Plot, Plot] {
  const [one, other] = fc.sample(arbitraryDefinition, { seed: chance.between(1, 1e9), numRuns: 2 });
  if (one === undefined || other === undefined) throw new Error("the generator made nothing");
  return [plot(one, chance, isArmed), plot(other, chance, isArmed)];
}

function plot(made: Definition, chance: Chance, isArmed: boolean): Plot {
  const { policy, uses: _, nodes, ...rest } = made;
  const programs: Program[] = [];
  const acting = nodes.map((node) => {
    if (node.kind !== "step") return node;
    if (!isArmed || !chance.hit(0.5)) return { ...node, script: { source: `return ${JSON.stringify(node.id)};` } };
    const program = programFor(node.id, chance);
    programs.push(program);
    return armed(node, program, chance);
  });
  const keeps = policy !== undefined && chance.hit(0.3);
  const accepted = accept({ ...rest, nodes: acting, ...(keeps && { policy }), ...(programs.length > 0 && { uses: USES }) });
  if ("violations" in accepted) throw new Error(`the generator made a definition that is refused: ${accepted.violations[0]?.code}`);
  const text = canonical(accepted.definition);
  return { text, version: digest(text), graph: graph(accepted.definition), times: new Map(programs.flatMap((one) => [...timesOf(one)])) };
}

function armed(node: StepNode, program: Program, chance: Chance): StepNode {
  const retry = { maxAttempts: chance.between(2, 3), backoff: { kind: "fixed" as const, delayMs: chance.pick([1, 300, 2_000]) } };
  const script = { source: JSON.stringify(program), calls: CALLS, secrets: [SECRET] };
  return { ...node, script, ...(chance.hit(0.6) && { retry }) };
}
