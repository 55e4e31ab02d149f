// Keywords about one value alone.
import type { Json } from "../value.ts";
import { isList, isMembers, type Rule, refused, shown } from "./judged.ts";
import { isMultiple } from "./multiple.ts";

function isOfType(value: Json, type: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return isList(value);
    case "object":
      return isMembers(value);
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const type: Rule = ({ wanted, subject }) => {
  const types = isList(wanted) ? wanted : [wanted];
  return types.some((one) => isOfType(subject.value, one)) || refused(subject, `must be ${types.join(" or ")}`);
};

const constant: Rule = ({ wanted, subject, judging }) =>
  judging.textOf(subject.value) === judging.textOf(wanted) || refused(subject, `must be ${shown(wanted)}`);

const among: Rule = ({ wanted, subject, judging }) => {
  const [values, text] = [wanted as readonly Json[], judging.textOf(subject.value)];
  return values.some((one) => judging.textOf(one) === text) || refused(subject, `must be one of ${shown(wanted)}`);
};

/** A rule for numbers. */
const number =
  (holds: (value: number, wanted: number) => boolean, words: string): Rule =>
  ({ wanted, subject }) =>
    typeof subject.value !== "number" || holds(subject.value, wanted as number) || refused(subject, `must be ${words} ${shown(wanted)}`);

const multipleOf: Rule = ({ wanted, subject, judging }) => {
  if (typeof subject.value !== "number") return true;
  judging.work.spend(10);
  return isMultiple(subject.value, wanted as number) || refused(subject, `must be a multiple of ${shown(wanted)}`);
};

/** A rule for the length of a text, in characters. */
const length =
  (holds: (length: number, wanted: number) => boolean, words: string): Rule =>
  ({ wanted, subject, judging }) => {
    if (typeof subject.value !== "string") return true;
    judging.work.spend(subject.value.length / 16);
    return (
      holds(charactersIn(subject.value), wanted as number) ||
      refused(subject, `must have ${words} ${shown(wanted)} ${wanted === 1 ? "character" : "characters"}`)
    );
  };

function charactersIn(text: string): number {
  let characters = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) characters -= 1;
  return characters;
}

const pattern: Rule = ({ wanted, subject, judging }) =>
  typeof subject.value !== "string" ||
  judging.automaton(String(wanted)).test(subject.value) ||
  refused(subject, `must match the pattern ${shown(wanted)}`);

/** By keyword. What a text's format is, nobody judges: formats are remarks. */
export const VALUES: Readonly<Record<string, Rule>> = {
  type,
  const: constant,
  enum: among,
  maximum: number((value, wanted) => value <= wanted, "at most"),
  exclusiveMaximum: number((value, wanted) => value < wanted, "less than"),
  minimum: number((value, wanted) => value >= wanted, "at least"),
  exclusiveMinimum: number((value, wanted) => value > wanted, "more than"),
  multipleOf,
  maxLength: length((has, wanted) => has <= wanted, "at most"),
  minLength: length((has, wanted) => has >= wanted, "at least"),
  pattern,
};
