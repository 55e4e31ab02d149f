import { Excess, ScriptParser, Wrong } from "@woml/language/parser";
import type { Node, Options, Parser, Position, Program } from "acorn";

/** Acorn makes an object of some hundred bytes of each statement, expression and name: of a `;` too. Minified code has a third as many as characters. */
const MOST_NODES = 1_500_000;

interface Inner {
  startNode(): Node;
  startNodeAt(at: number, place: Position): Node;
}
type Extensible = new (options: Options, input: string, start?: number) => Parser & Inner;

/** A module may be far longer than a script: what it is made of is counted. */
function counted(parser: typeof Parser): typeof Parser {
  class Counted extends (parser as unknown as Extensible) {
    #nodes = 0;
    #count(): void {
      this.#nodes += 1;
      if (this.#nodes > MOST_NODES) throw new Excess(`It has more than ${MOST_NODES} statements, expressions and names.`);
    }
    override startNode(): Node {
      this.#count();
      return super.startNode();
    }
    override startNodeAt(at: number, place: Position): Node {
      this.#count();
      return super.startNodeAt(at, place);
    }
  }
  return Counted as unknown as typeof Parser;
}

const ModuleParser = ScriptParser.extend(counted);

/** Throws a SyntaxError with `pos`, or an Excess. */
export function parseModule(text: string): Program {
  try {
    return ModuleParser.parse(text, { ecmaVersion: "latest", sourceType: "module" });
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    throw Object.assign(new SyntaxError(error.message), { pos: error.offset });
  }
}
