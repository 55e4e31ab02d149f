import { type Node, type Options, Parser, type Position, type Program, type TokenType, tokTypes } from "acorn";

/** Acorn notes a `var` in every block around it. Sources that people write need a tenth of this. */
const MOST_NOTES = 1_000_000;
/** Acorn makes an object of some hundred bytes of each statement, expression and name: of a `;` too. Minified code has a third as many as characters. */
const MOST_NODES = 1_500_000;
/** Acorn compares groups of one name with each other. */
const MOST_GROUPS = 1_000;

/** A source that would take too long, or too much memory, to be read. */
export class Excess extends Error {}

interface RegExpState {
  readonly source: string;
  readonly flags: string;
}
interface Inner {
  readonly scopeStack: readonly object[];
  enterScope(flags: number): void;
  startNode(): Node;
  startNodeAt(at: number, place: Position): Node;
  readRegexp(): void;
  validateRegExpPattern(state: RegExpState): void;
  finishToken(type: TokenType, value: object): void;
}
type Extensible = new (options: Options, input: string, start?: number) => Parser & Inner;

/** Leaves the reading of a regular expression that is valid, at its end. */
class Sound extends Error {
  readonly state: RegExpState;

  constructor(state: RegExpState) {
    super();
    this.state = state;
  }
}

/** The names of one scope, as far as acorn uses a list: it adds, it asks whether one is there, and it looks at the first. */
class ScopeNames extends Array<string> {
  #names: Set<string> | null = null;
  readonly #note: () => void;

  constructor(note: () => void) {
    super();
    this.#note = note;
  }
  override push(name: string): number {
    this.#note();
    this.#names ??= new Set();
    this.#names.add(name);
    return this.length > 0 ? this.length : super.push(name);
  }
  override indexOf(name: string): number {
    return this.#names?.has(name) ? 0 : -1;
  }
}

/**
 * As the language reads scripts (sdk/language/script/parser.ts): names of a scope are searched in a set, what grows faster than the
 * source is bounded, and no regular expression is compiled, since a few kilobytes of one can take a minute and gigabytes.
 */
function bounded(parser: typeof Parser): typeof Parser {
  class Bounded extends (parser as unknown as Extensible) {
    #notes = 0;
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
    override enterScope(flags: number): void {
      super.enterScope(flags);
      const note = (): void => {
        this.#notes += 1;
        if (this.#notes > MOST_NOTES) throw new Excess("Too many variables are declared in nested blocks.");
      };
      Object.assign(this.scopeStack.at(-1) ?? {}, {
        var: new ScopeNames(note),
        lexical: new ScopeNames(note),
        functions: new ScopeNames(note),
      });
    }
    override readRegexp(): void {
      try {
        super.readRegexp();
      } catch (left) {
        if (!(left instanceof Sound)) throw left;
        this.finishToken(tokTypes.regexp, { pattern: left.state.source, flags: left.state.flags, value: null });
      }
    }
    override validateRegExpPattern(state: RegExpState): void {
      if (state.source.split("(?<").length > MOST_GROUPS) throw new Excess(`A regular expression has more than ${MOST_GROUPS} groups.`);
      super.validateRegExpPattern(state);
      throw new Sound(state);
    }
  }
  return Bounded as unknown as typeof Parser;
}

const ModuleParser = Parser.extend(bounded);

/** Throws a SyntaxError with `pos`, or an Excess. */
export const parseModule = (text: string): Program => ModuleParser.parse(text, { ecmaVersion: "latest", sourceType: "module" });
