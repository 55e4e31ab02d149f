import type { Node, Options } from "acorn";
import { printable } from "../source.ts";
import { Excess, ScriptParser, Wrong } from "./parser.ts";

/** The names a script's function is given. Only `context` and `attempt` have a use in this version; all five are taken. */
const PARAMETERS: readonly string[] = ["context", "lifecycle", "attempt", "services", "secrets"];
/** On the body's own first line, where a script stands when it runs too. It runs in strict mode, and need only be right without. */
const LOOSE = `(async function(${PARAMETERS.join(", ")}) { `;
const STRICT = `${LOOSE}"use strict"; `;
const SUFFIX = "\n})";
/** The one thing that the body may hold in its function, and not alone. */
const OF_FUNCTIONS = "new.target";
const LONGEST_MESSAGE = 200;
const WRAPPED: Options = { ecmaVersion: "latest", sourceType: "script" };
const BARE: Options = { ...WRAPPED, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };

/** `offset` is within the body. */
interface Fault {
  readonly fault: "syntax" | "excess";
  readonly message: string;
  readonly offset: number;
}
/** Positions of `statements` less `shift` are within the body. `unstrict`: what strict mode alone has against it. */
interface Sound {
  readonly statements: readonly Node[];
  readonly shift: number;
  readonly unstrict: Fault | null;
}
export type Syntax = Sound | Fault;

/** Parses a script as what it is: the body of an async function. It is never run here. */
export function parseScript(body: string): Syntax {
  const strict = wrapped(body, STRICT);
  if ("statements" in strict || strict.fault === "excess") return strict;
  // Alone, the body shows where it breaks: in the function its fault may only be felt at the end, or not at all ("}, async function() {").
  const bare = attempt(body, BARE);
  const alone = "fault" in bare ? { ...bare, offset: clamp(bare.offset, body) } : null;
  if (alone && !alone.message.includes(OF_FUNCTIONS)) return alone;
  const loose = wrapped(body, LOOSE);
  if ("statements" in loose) return { ...loose, unstrict: strict };
  return loose.fault === "excess" ? loose : (alone ?? loose);
}

/** The body as that of the function which `prefix` begins. */
function wrapped(body: string, prefix: string): Syntax {
  const whole = attempt(prefix + body + SUFFIX, WRAPPED);
  if ("fault" in whole) return { ...whole, offset: clamp(whole.offset - prefix.length, body) };
  const statements = soleBody(whole.statements, prefix.length + body.length + SUFFIX.length);
  if (statements) return { statements, shift: prefix.length, unstrict: null };
  return { fault: "syntax", message: "The script ends its own function.", offset: 0 };
}

const clamp = (offset: number, body: string): number => Math.max(0, Math.min(offset, body.length));

function attempt(text: string, options: Options): Syntax {
  try {
    return { statements: ScriptParser.parse(text, options).body, shift: 0, unstrict: null };
  } catch (error) {
    if (error instanceof Excess) return { fault: "excess", message: error.message, offset: 0 };
    if (!(error instanceof Wrong)) throw error;
    const { message, offset } = error;
    // Acorn's answer when its stack is used up.
    if (message.startsWith("Not enough stack")) return { fault: "excess", message: "The script is nested too deeply.", offset: 0 };
    return { fault: "syntax", message: `${shortened(message)}.`, offset };
  }
}

/** Acorn repeats what it was given as it is, a control character or a whole regular expression. What is wrong with that stands at the end. */
function shortened(message: string): string {
  return printable(message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, 60)} … ${message.slice(-80)}`);
}

/** The statements of the one function expression that must span the whole text. */
function soleBody(program: readonly Node[], length: number): readonly Node[] | null {
  const [statement, ...more] = program;
  if (!statement || more.length > 0 || statement.end !== length) return null;
  const call = "expression" in statement ? (statement.expression as Node) : null;
  if (call?.type !== "FunctionExpression" || call.start !== 1 || call.end !== length - 1) return null;
  const block = "body" in call ? (call.body as Node) : null;
  return block && "body" in block ? (block.body as Node[]) : null;
}
