import { didYouMean } from "../closest.ts";
import type { Remark } from "../diagnostic.ts";
import type { Document } from "../document.ts";
import type { Range } from "../source.ts";
import type { Element } from "../tree.ts";
import type { Rule } from "../visit.ts";
import { kindOf, type ScriptKind } from "./kind.ts";
import type { Reading } from "./reading.ts";

/** One script before a rule. */
export interface Judged {
  readonly element: Element;
  readonly reading: Reading;
  readonly kind: ScriptKind;
  readonly document: Document;
  /** `range` as in the reading, not yet as in the source. */
  readonly say: (range: Range, remark: Remark) => void;
  readonly guess: Guess;
}
/** As `didYouMean`. */
export type Guess = typeof didYouMean;

/** A rule of scripts. What it says of one is said once, where its cause stands first. */
export const scriptRule =
  (judge: (script: Judged) => void): Rule =>
  (findings, document) => {
    const guess = guesses();
    return (element) => {
      if (element.name !== "script" || findings.isRefused(element)) return;
      const reading = document.read(element);
      const first = new Map<string, { readonly range: Range; readonly remark: Remark }>();
      const say = (range: Range, remark: Remark): void => {
        const key = `${remark.code} ${remark.message}`;
        if (range.start < (first.get(key)?.range.start ?? Number.POSITIVE_INFINITY)) first.set(key, { range, remark });
      };
      judge({ element, reading, kind: kindOf(element, document.defines), document, say, guess });
      const { shift } = reading;
      for (const { range, remark } of first.values()) findings.add({ start: range.start - shift, end: range.end - shift }, remark);
    };
  };

const MOST_GUESSES = 20;

/** Guessing compares a word with every other. A document in which thousands are wrong is not helped by it. */
export function guesses(): Guess {
  let count = 0;
  return (word, candidates, otherwise) => {
    count += 1;
    return count > MOST_GUESSES ? otherwise : didYouMean(word, candidates, otherwise);
  };
}
