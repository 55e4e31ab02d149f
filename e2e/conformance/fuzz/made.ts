import type { Project, Source } from "@woml/language";
import { Chance } from "./chance.ts";
import { FOLDERS, WORDS } from "./corpus.ts";
import { edited } from "./edits.ts";
import { grownFlow } from "./flow-edits.ts";

const MOST_EDITS = 5;
const MOST_WORDS = 60;
/** What is repeated grows to so many characters at most. */
const LARGE = 400_000;
/** So many documents share one that is large. */
const PER_LARGE = 100;

export interface Made {
  readonly source: Source;
  readonly project: Project;
  /** Of modules, by path. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The document of a seed and a number: the same ones make the same document. */
export function made(seed: number, at: number): Made {
  const chance = new Chance(seed, at);
  const folder = chance.one(FOLDERS);
  const text = (): string => chance.one(chance.once(4) ? folder.invalid : folder.valid) ?? "";
  const small = chance.once(8) ? anyText(chance) : mutated(text(), chance, text);
  return {
    source: { path: "flow.woml", text: chance.once(PER_LARGE) ? grown(small, chance) : small },
    project: {
      files: chance.once(4) ? withMutated(folder.files, chance, text) : folder.files,
      modules: folder.modules,
      ...(chance.once(4) && { profile: "1.0" }),
    },
    sources: folder.sources,
  };
}

/** One of the documents that may be imported is another one than it was. */
function withMutated(files: Project["files"], chance: Chance, other: () => string): Project["files"] {
  const [path, text] = chance.one([...files]) ?? [];
  return typeof text === "string" && path !== undefined ? new Map([...files, [path, mutated(text, chance, other)]]) : files;
}

function mutated(text: string, chance: Chance, other: () => string): string {
  const edit = chance.once(3) ? edited : grownFlow;
  let now = text;
  for (let count = 1 + chance.below(MOST_EDITS); count > 0; count--) now = edit(now, chance, other());
  return chance.once(4) ? edited(now, chance, other()) : now;
}

/** Words of the language in any order, sometimes inside a workflow. */
function anyText(chance: Chance): string {
  const kinds = [WORDS.tags, WORDS.tags, WORDS.tags, WORDS.attributes, WORDS.scripts, WORDS.tokens, WORDS.values] as const;
  const words = Array.from({ length: chance.below(MOST_WORDS) }, () => chance.one(chance.one(kinds)) ?? "").join("");
  const around = `<woml><workflow id="w"><triggers><manual id="go" /></triggers><steps>${words}</steps></workflow></woml>`;
  return chance.once(2) ? around : words;
}

/** One piece of it again and again. */
function grown(text: string, chance: Chance): string {
  const start = chance.below(text.length);
  const end = start + 1 + chance.below(400);
  const piece = text.slice(start, end);
  return text.slice(0, end) + piece.repeat(chance.below(LARGE) / Math.max(1, piece.length)) + text.slice(end);
}
