import type { Node } from "acorn";
import type { Bundle, Part } from "../project.ts";
import { accessesOf, isTold, saidIn } from "./access.ts";
import { names } from "./names.ts";
import { Excess, ScriptParser, Wrong } from "./parser.ts";

/** What the code of a module reaches. `isOpen`: more than can be told from its text. */
export interface ModuleReach {
  readonly calls: ReadonlySet<string>;
  readonly isOpen: boolean;
}

const TRACKED: ReadonlySet<string> = new Set(["services", "fetch"]);
/** A script may call a quarter of them. */
const MOST_CALLS = 1_024;
const known = new WeakMap<Part, ModuleReach>();

/** A bundle is read once, however many scripts use it; and so is each of its parts, however many bundles hold it. */
export function moduleReach(bundle: Bundle): ModuleReach {
  const reach = known.get(bundle) ?? (bundle.parts ? together(bundle.parts.map(partReach)) : readModule(bundle.text));
  known.set(bundle, reach);
  return reach;
}

function partReach(part: Part): ModuleReach {
  const reach = known.get(part) ?? readModule(part.text);
  known.set(part, reach);
  return reach;
}

function together(reaches: readonly ModuleReach[]): ModuleReach {
  const calls = new Set(reaches.flatMap((reach) => [...reach.calls]));
  return { calls: new Set(calls.values().take(MOST_CALLS)), isOpen: calls.size > MOST_CALLS || reaches.some(({ isOpen }) => isOpen) };
}

function readModule(text: string): ModuleReach {
  const statements = statementsOf(text);
  if (!statements) return { calls: new Set(), isOpen: true };
  const said = names(statements, TRACKED);
  const accesses = accessesOf(said);
  const { calls } = saidIn(accesses, 0);
  const isOpen = calls.size > MOST_CALLS || !accesses.services.every(isTold);
  return { calls: new Set(calls.keys().take(MOST_CALLS)), isOpen };
}

/** null for what is no module, or too much to be read: whoever bundles has reported it. */
function statementsOf(text: string): readonly Node[] | null {
  try {
    return ScriptParser.parse(text, { ecmaVersion: "latest", sourceType: "module" }).body;
  } catch (error) {
    if (error instanceof Excess || error instanceof Wrong) return null;
    throw error;
  }
}
