/**
 * Whether a regular expression may be matched against what a script or a plugin gives. An expression that backtracks can hold the process
 * that validates for minutes. So: no repetition within a repetition, no alternatives within one, no back references, and the number of
 * ways in which the rest can match a text of `maxLength` is bounded.
 */
const MAX_CHARACTERS = 256;
const MAX_WAYS = 10_000_000;
/** The longest text that an input or a result of 1 MiB can hold. */
const ANY_LENGTH = 1_048_576;

/** What is wrong with `pattern`, or null. */
export function patternFault(pattern: string, maxLength = ANY_LENGTH): string | null {
  if (pattern.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS} characters`;
  if (!compiles(pattern)) return "is no regular expression";
  if (/\\(?:[1-9]|k)/.test(pattern.replaceAll("\\\\", ""))) return "has a back reference";
  const scan = new Scan(pattern, maxLength);
  const ways = scan.read();
  if (scan.nested) return "has a repetition or alternatives within a repetition";
  const anchored = pattern.startsWith("^") && !scan.alternatives;
  if (ways * (anchored ? 1 : maxLength) <= MAX_WAYS) return null;
  return "can match in too many ways: begin it with ^, repeat less, or give the text a smaller maxLength";
}

/** As it will be: `u` is how schemas are matched. */
function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").exec("") !== undefined;
  } catch {
    return false;
  }
}

/** One pass over an expression that compiles. */
class Scan {
  nested = false;
  /** At the top, outside of every group. */
  alternatives = false;
  private at = 0;
  private readonly pattern: string;
  private readonly maxLength: number;

  constructor(pattern: string, maxLength: number) {
    this.pattern = pattern;
    this.maxLength = maxLength;
  }

  read(): number {
    const { ways, arms } = this.group();
    this.alternatives = arms > 1;
    return ways;
  }

  /** Up to the end or the closing bracket: in how many ways it can match, and how many alternatives it has. */
  private group(): { readonly ways: number; readonly arms: number } {
    const arms = [1];
    while (this.at < this.pattern.length && this.pattern[this.at] !== ")") {
      if (this.pattern[this.at] === "|") {
        arms.push(1);
        this.at += 1;
      } else arms[arms.length - 1] = (arms.at(-1) ?? 1) * this.piece();
    }
    return { ways: arms.reduce((sum, arm) => sum + arm), arms: arms.length };
  }

  private piece(): number {
    const within = this.atom();
    const repeat = this.repeat();
    if (repeat === null) return within;
    // Once or not at all repeats nothing.
    if (repeat.max > 1 && within > 1) this.nested = true;
    return within * (Math.min(repeat.max, this.maxLength) - Math.min(repeat.min, this.maxLength) + 1);
  }

  private atom(): number {
    const start = this.pattern[this.at];
    if (start === "(") return this.bracketed();
    if (start === "[") this.charClass();
    else this.at += start === "\\" ? this.escaped() : 1;
    return 1;
  }

  private bracketed(): number {
    const opening = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/.exec(this.pattern.slice(this.at))?.[0] ?? "(";
    this.at += opening.length;
    const { ways } = this.group();
    this.at += 1;
    return ways;
  }

  private charClass(): void {
    this.at += 1;
    while (this.at < this.pattern.length && this.pattern[this.at] !== "]") this.at += this.pattern[this.at] === "\\" ? 2 : 1;
    this.at += 1;
  }

  /** Under `u` the braces of \u{…} and \p{…} are no repetition. */
  private escaped(): number {
    return /^\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|.)/su.exec(this.pattern.slice(this.at))?.[0].length ?? 2;
  }

  private repeat(): { readonly min: number; readonly max: number } | null {
    const [text, sign, from, comma, to] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.pattern.slice(this.at)) ?? [];
    if (text === undefined) return null;
    this.at += text.length;
    if (sign === "?") return { min: 0, max: 1 };
    if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: Number.POSITIVE_INFINITY };
    const min = Number(from);
    if (!comma) return { min, max: min };
    return { min, max: to ? Number(to) : Number.POSITIVE_INFINITY };
  }
}
