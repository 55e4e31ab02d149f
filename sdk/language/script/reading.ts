import type { Range } from "../source.ts";
import type { Element } from "../tree.ts";
import { ABSENT, PARTIAL, PARTS, USUAL } from "./absent.ts";
import { type Accesses, accessesOf, saidIn } from "./access.ts";
import { type Names, names } from "./names.ts";
import { type Named, NEEDS_NAMES, type Needs, needsOf } from "./needs.ts";
import { parseScript, type Syntax } from "./syntax.ts";

/** Names that no script may take for itself. */
export const GIVEN: ReadonlySet<string> = new Set(["lifecycle", "services", "secrets", "fetch"]);
const TRACKED: ReadonlySet<string> = new Set([
  ...GIVEN,
  ...NEEDS_NAMES,
  ...["props", "notification", "WebSocket", ...PARTIAL.keys()],
  ...ABSENT.keys(),
  ...PARTS,
  ...USUAL.keys(),
]);

/** What can be said about a script from its text. */
export interface Reading {
  readonly body: string;
  /** Offset of the body's first character in the source. */
  readonly start: number;
  readonly fault: Extract<Syntax, { fault: string }> | null;
  /** What strict mode, in which it runs, has against it. */
  readonly unstrict: Extract<Syntax, { fault: string }> | null;
  /** Positions in it, less `shift`, are offsets in the source. */
  readonly names: Names;
  readonly shift: number;
  readonly needs: Needs;
  /** Positions as in `names`. */
  readonly named: Named;
  /** Positions as in `names`. */
  readonly accesses: Accesses;
  /** Each `<alias>.<operation>` that is called, those of modules too, and each secret that is named, by its first place in the source. */
  readonly calls: ReadonlyMap<string, Range>;
  readonly secrets: ReadonlyMap<string, Range>;
}

const NOTHING: Names = { declarations: [], mentions: [], others: [] };

export function read(script: Element): Reading {
  const raw = script.children.find((child) => child.kind === "raw");
  const body = raw?.value ?? "";
  const start = raw?.range.start ?? script.openRange.end;
  const syntax = parseScript(body);
  const fault = "fault" in syntax ? syntax : null;
  const said = "fault" in syntax ? NOTHING : names(syntax.statements, TRACKED);
  const shift = "fault" in syntax ? 0 : syntax.shift - start;
  const accesses = accessesOf(said);
  const { needs, named } = needsOf(said);
  return {
    body,
    start,
    fault,
    unstrict: "fault" in syntax ? null : syntax.unstrict,
    names: said,
    shift,
    needs: fault ? null : needs,
    named,
    accesses,
    ...saidIn(accesses, shift),
  };
}
