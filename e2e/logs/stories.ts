/** What is recorded of this version: each construct, and the ways it can go. */
import { Play } from "@woml/engine/testing";
import { compile } from "@woml/language";
import { accept, type Definition } from "@woml/model";
import { APPROVALS } from "./stories/approvals.ts";
import { FLOWS } from "./stories/flows.ts";
import { FORKS } from "./stories/forks.ts";
import { LOOPS } from "./stories/loops.ts";
import { OBSERVED } from "./stories/observed.ts";
import { OWN } from "./stories/own.ts";

/** The flow of a document, and what happens in a run of it. */
export interface Story {
  readonly steps: string;
  /** Before the flow: `<config>`, or what observes. */
  readonly around?: string;
  /** What no single document can say. */
  readonly more?: (definition: Definition) => Definition;
  readonly tell: (play: Play) => void;
}

export const STORIES: Readonly<Record<string, () => Play>> = Object.fromEntries(
  Object.entries({ ...FLOWS, ...FORKS, ...LOOPS, ...APPROVALS, ...OBSERVED, ...OWN }).map(([name, story]) => [
    name,
    () => told(name, story),
  ]),
);

function told(name: string, { steps, around = "", more = (made) => made, tell }: Story): Play {
  const text = `<woml><workflow id="${name}">${around}<triggers><manual id="go"/></triggers><steps>${steps}</steps></workflow></woml>`;
  const { definition, diagnostics } = compile({ path: `${name}.woml`, text });
  if (definition === null) throw new Error(`${name}: ${JSON.stringify(diagnostics)}`);
  const accepted = accept(more(definition));
  if ("violations" in accepted) throw new Error(`${name}: ${JSON.stringify(accepted.violations)}`);
  const play = new Play(accepted.definition);
  tell(play);
  if (play.state.ended === null) throw new Error(`${name} does not end: ${JSON.stringify(play.log.at(-1))}`);
  return play;
}
