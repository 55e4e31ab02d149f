import { transform } from "sucrase";
import "./free-names.ts";
import { Excess } from "@woml/language/parser";

/** A source is read four to nine times over; what goes far beyond that goes in circles. */
const READINGS = 24;
const LEAST = 10_000;
/** The type stripper keeps some hundred bytes of each word and sign. */
const MOST_WORDS = 800_000;
/** What it takes to cut out a part of the text, besides its length. */
const CUT = 4;

/**
 * The text that the type stripper reads, which counts how often it looks at a character: where `<` may begin a type or a comparison it tries
 * one, then the other, and of `<T>(<T>(<T>(…` it tries both ways at each depth. And it counts what is cut out of it: a class in a field of a
 * class is written several times over at each depth, and for each variable that is called like an import all around it is looked through.
 */
class Metered extends String {
  #left: number;

  constructor(text: string) {
    super(text);
    this.#left = READINGS * text.length + LEAST;
  }
  override charCodeAt(at: number): number {
    this.#spend(1);
    return super.charCodeAt(at);
  }
  override slice(start?: number, end?: number): string {
    const part = super.slice(start, end);
    this.#spend(CUT + part.length);
    return part;
  }
  #spend(readings: number): void {
    this.#left -= readings;
    if (this.#left < 0) throw new Excess("It is too involved to be read.");
  }
}

/** A TypeScript source without its types, on the same lines. Throws a SyntaxError with `pos`, an Excess, or a RangeError for want of stack. */
export function withoutTypes(text: string): string {
  if (wordsIn(text) > MOST_WORDS) throw new Excess(`It has more than ${MOST_WORDS} words and signs.`);
  // It asks nothing else of its input than a text answers, whichever of the two it is.
  const metered = new Metered(text) as unknown as string;
  try {
    return transform(metered, { transforms: ["typescript"], disableESTransforms: true }).code;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof Excess) throw error;
    // Of a few broken texts, such as `a<import`, it loses count.
    throw new SyntaxError("It ends too early", { cause: error });
  }
}

/** No less than the tokens of a text; counted no further than matters. */
function wordsIn(text: string): number {
  if (text.length <= MOST_WORDS) return text.length;
  return text
    .matchAll(/[\w$]+|[^\s\w$]/g)
    .take(MOST_WORDS + 1)
    .reduce((count) => count + 1, 0);
}
