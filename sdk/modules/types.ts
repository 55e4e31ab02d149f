import { transform } from "sucrase";
import { Excess } from "./parser.ts";

/** A source is read two to six times over; what goes far beyond that goes in circles. */
const READINGS = 24;
const LEAST = 10_000;

/**
 * The text that the type stripper reads, which counts how often it looks at a character: where `<` may begin a type or a comparison it tries
 * one, then the other, and of `<T>(<T>(<T>(…` it tries both ways at each depth.
 */
class Metered extends String {
  #left: number;

  constructor(text: string) {
    super(text);
    this.#left = READINGS * text.length + LEAST;
  }
  override charCodeAt(at: number): number {
    this.#left -= 1;
    if (this.#left < 0) throw new Excess("It is too involved to be read.");
    return super.charCodeAt(at);
  }
}

/** A TypeScript source without its types, on the same lines. Throws a SyntaxError with `pos`, or an Excess. */
export function withoutTypes(text: string): string {
  // It asks nothing else of its input than a text answers, whichever of the two it is.
  const metered = new Metered(text) as unknown as string;
  return transform(metered, { transforms: ["typescript"], disableESTransforms: true }).code;
}
