import type { Element } from "../tree.ts";
import { type Names, names } from "./names.ts";
import { NEEDS_NAMES, type Needs, needsOf } from "./needs.ts";
import { parseScript, type Syntax } from "./syntax.ts";

/** Names that a rule looks at (script-bindings.ts, script-imports.ts). */
export const GIVEN: ReadonlySet<string> = new Set(["lifecycle", "services", "secrets", "fetch"]);
const TRACKED: ReadonlySet<string> = new Set([...GIVEN, ...NEEDS_NAMES, "require", "Bun", "WebSocket"]);

/** What can be said about a script from its text. */
export interface Reading {
  readonly body: string;
  /** Offset of the body's first character in the source. */
  readonly start: number;
  readonly fault: Extract<Syntax, { fault: string }> | null;
  /** Positions in it, less `shift`, are offsets in the source. */
  readonly names: Names;
  readonly shift: number;
  readonly needs: Needs;
}

const NOTHING: Names = { declarations: [], mentions: [], others: [] };

export function read(script: Element): Reading {
  const raw = script.children.find((child) => child.kind === "raw");
  const body = raw?.value ?? "";
  const start = raw?.range.start ?? script.openRange.end;
  const syntax = parseScript(body);
  if ("fault" in syntax) return { body, start, fault: syntax, names: NOTHING, shift: 0, needs: null };
  const said = names(syntax.statements, TRACKED);
  return { body, start, fault: null, names: said, shift: syntax.shift - start, needs: needsOf(said) };
}
