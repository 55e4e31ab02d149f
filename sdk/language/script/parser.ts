import { type Options, Parser, type TokenType, tokTypes } from "acorn";

/** Acorn notes a `var` in every block around it. A script of 256 KiB that people write needs a tenth of this. */
const MOST_NOTES = 1_000_000;
/** Acorn compares groups of one name with each other. */
const MOST_GROUPS = 1_000;

/** A script that would take too long, or too much memory, to be read. */
export class Excess extends Error {}

/**
 * What is wrong with a script, and at which offset. Not an Error, which would keep a stack: a document may hold ten thousand wrong scripts,
 * and that would be most of what they cost.
 */
export class Wrong {
  readonly message: string;
  readonly offset: number;

  constructor(message: string, offset: number) {
    this.message = message;
    this.offset = offset;
  }
}

interface RegExpState {
  readonly source: string;
  readonly flags: string;
}
interface Inner {
  readonly scopeStack: readonly object[];
  enterScope(flags: number): void;
  readRegexp(): void;
  validateRegExpPattern(state: RegExpState): void;
  finishToken(type: TokenType, value: object): void;
  raise(offset: number, message: string): never;
  raiseRecoverable(offset: number, message: string): never;
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
 * Acorn searches a list of all names of a scope at each declaration, which takes it more than a second for the 30,000 that a script
 * may hold. Here it asks a set. What else grows faster than the script is bounded. And it has the engine compile every regular
 * expression that it has found valid, to no use here: a few kilobytes of `\p{RGI_Emoji}` then take a minute and gigabytes.
 */
function searchable(parser: typeof Parser): typeof Parser {
  class Searchable extends (parser as unknown as Extensible) {
    #notes = 0;
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
    override raise(offset: number, message: string): never {
      throw new Wrong(message, offset);
    }
    override raiseRecoverable(offset: number, message: string): never {
      throw new Wrong(message, offset);
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
  return Searchable as unknown as typeof Parser;
}

/** Of scripts here, and of the modules that they import (sdk/modules): one parser of what strangers write. */
export const ScriptParser: typeof Parser = Parser.extend(searchable);
