import { accept, canonical, type Graph, graph, type Json } from "@woml/model";
import { build, type Plan } from "@woml/model/testing";
import type { Chance } from "./chance.ts";
import { dress } from "./dress.ts";
import { digest } from "./process.ts";
import { CHILD, timesOf } from "./program.ts";
import { sketch } from "./sketch.ts";

/** A definition as it is stored, and how often each purpose of its programs may have its effect at one site. */
export interface Plot {
  readonly version: string;
  readonly graph: Graph;
  readonly times: ReadonlyMap<string, number>;
  readonly text: string;
}

export const WORKFLOW = "made-up";

/** Two random definitions; `isArmed`: some of their scripts call. */
export function plots(chance: Chance, isArmed: boolean): readonly [Plot, Plot] {
  return [plot(chance, sketch(chance, 3), { isArmed }), plot(chance, sketch(chance, 3), { isArmed })];
}

/** A small one that others ask for. */
export function childPlot(chance: Chance, isArmed: boolean): Plot {
  return plot(chance, sketch(chance, 1), { isArmed, id: CHILD });
}

/** What tests, switches and loops mostly look at: mostly what they can use. */
export function payloadFor(chance: Chance): { readonly [key: string]: Json } {
  const items = Array.from({ length: chance.pick([0, 1, 2, 3, 5]) }, (_, id) => ({ id }));
  return { flag: chance.hit(0.5), word: chance.pick(["when-0", "when-0", "when-1", "neither"]), items: chance.hit(0.95) ? items : "none" };
}

function plot(chance: Chance, plan: Plan, { isArmed, id = WORKFLOW }: { readonly isArmed: boolean; readonly id?: string }): Plot {
  const { definition, programs } = dress({ ...build(plan).definition, workflow: { id } }, chance, isArmed);
  const accepted = accept(definition);
  if ("violations" in accepted)
    throw new Error(`the generator made a definition that is refused: ${JSON.stringify(accepted.violations[0])}`);
  const text = canonical(accepted.definition);
  return { text, version: digest(text), graph: graph(accepted.definition), times: new Map(programs.flatMap((one) => [...timesOf(one)])) };
}
