import { Excess } from "@woml/language/parser";
import type { Program } from "acorn";
import { type Fault, printable } from "./diagnostic.ts";
import { Origin } from "./origin.ts";
import { parseModule } from "./parser.ts";
import { read, type Surface } from "./surface.ts";
import { withoutTypes } from "./types.ts";
import { uses } from "./uses.ts";

/** One file of a module: what it asks of others and offers them, and what is wrong with it by itself. */
export interface Source extends Surface {
  readonly path: string;
  /** As it was read. */
  readonly original: string;
  /** Without types; positions of `requests` and `edits` are in it. */
  readonly text: string;
  readonly hasTopLevelAwait: boolean;
  readonly faults: readonly Fault[];
}

const NO_EXPORTS: Fault = {
  code: "WOML_MODULE_EXPORTS_EMPTY",
  message: "This module exports no function, so that no script could call it.",
  hint: "Export each function where it is declared: export function total(order) { … }.",
  start: 0,
  end: 1,
};
const NOTHING: Surface = { requests: [], offers: new Map(), edits: [] };

/** Reads one source. `isEntry`: a document names it, so that what it exports are the functions that scripts may call. */
export function readSource(path: string, original: string, isEntry: boolean): Source {
  const none = { path, original, text: original, hasTopLevelAwait: false, ...NOTHING };
  const stray = /\0|\p{Cs}/u.exec(original);
  if (stray) return { ...none, faults: [syntax(original, stray.index, "It holds U+0000 or half of a surrogate pair")] };
  const parsed = parse(path, original);
  if ("fault" in parsed) return { ...none, faults: [parsed.fault] };
  const { text, program } = parsed;
  const origin = new Origin(original, text);
  const { surface, faults } = read(program, { path, origin, isEntry, text });
  const used = uses(program, text, origin);
  const all = [...faults, ...used.faults];
  const isEmpty = isEntry && surface.offers.size === 0 && all.length === 0;
  const edits = [...surface.edits, ...used.edits];
  const { hasTopLevelAwait } = used;
  return { path, original, text, ...surface, edits, hasTopLevelAwait, faults: isEmpty ? [NO_EXPORTS] : all };
}

const NAMESPACE = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[\w$.]+[ \t]*\{/m;

type Parsed = { readonly text: string; readonly program: Program } | { readonly fault: Fault };

function parse(path: string, original: string): Parsed {
  let text = original;
  try {
    if (path.endsWith(".ts")) {
      // The stripper takes every namespace for one of types alone, and leaves it out.
      const namespace = NAMESPACE.exec(original);
      if (namespace) return { fault: syntax(original, namespace.index, "There are no namespaces here: export functions and constants") };
      text = withoutTypes(original);
    }
    return { text, program: parseModule(text) };
  } catch (error) {
    if (error instanceof Excess) return { fault: syntax(original, 0, error.message.replace(/\.$/, "")) };
    // A stack that is used up: of acorn a SyntaxError, of the type stripper a RangeError.
    if (error instanceof RangeError || (error instanceof SyntaxError && error.message.startsWith("Not enough stack"))) {
      return { fault: syntax(original, 0, "It is nested too deeply") };
    }
    if (!(error instanceof SyntaxError)) throw error;
    const at = "pos" in error && typeof error.pos === "number" ? error.pos : 0;
    return { fault: syntax(original, new Origin(original, text).offset(at, ""), said(error.message)) };
  }
}

const LONGEST = 200;

/** Both parsers end with the place, and begin what they were given a long text. */
function said(message: string): string {
  const sentence = message.replace(/ \(\d+:\d+\)$/, "");
  return printable(sentence.length <= LONGEST ? sentence : `${sentence.slice(0, 60)} … ${sentence.slice(-80)}`);
}

/** What cannot be parsed is wrong from its beginning up to where that shows. */
function syntax(text: string, at: number, message: string): Fault {
  const line = text.slice(0, at).split("\n").length;
  const column = at - text.lastIndexOf("\n", at - 1);
  const place = at === 0 ? "" : ` Line ${line}, column ${column}:`;
  return {
    code: "WOML_MODULE_SYNTAX_INVALID",
    message: `This module cannot be parsed.${place} ${message}.`,
    hint: "A module is an ECMAScript module: JavaScript, or TypeScript without decorators and namespaces.",
    start: 0,
    end: Math.max(1, at),
  };
}
