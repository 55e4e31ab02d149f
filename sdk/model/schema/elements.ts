// Keywords about the elements of an array.
import type { Json } from "../value.ts";
import { type Asked, isList, type Rule, refused, type Subject, unheard } from "./judged.ts";
import { every } from "./members.ts";

/** A rule for arrays: what is none is as it says. */
const array =
  (rule: (value: readonly Json[], asked: Asked) => boolean): Rule =>
  (asked) => {
    if (!isList(asked.subject.value)) return true;
    asked.judging.work.spend(1 + asked.subject.value.length / 4);
    return rule(asked.subject.value, asked);
  };

const at = (subject: Subject, index: number, value: Json): Subject => ({ ...subject, value, way: { above: subject.way, key: index } });

const prefixItems = array((value, { wanted, subject, marks, judging }) => {
  const schemas = wanted as readonly Json[];
  marks.before = Math.max(marks.before, Math.min(schemas.length, value.length));
  return every(
    schemas.slice(0, value.length).entries(),
    subject,
    ([nth, schema]) => judging.apply(schema, at(subject, nth, value[nth] ?? null)) !== null,
  );
});

const items = array((value, { wanted, schema, subject, marks, judging }) => {
  const from = ((schema["prefixItems"] ?? []) as readonly Json[]).length;
  if (value.length > from) marks.before = value.length;
  return every(value.slice(from).entries(), subject, ([nth, one]) => judging.apply(wanted, at(subject, from + nth, one)) !== null);
});

const unevaluatedItems = array((value, { wanted, subject, marks, judging }) => {
  const isSound = every(
    value.entries(),
    subject,
    ([nth, one]) => marks.hasElement(nth) || judging.apply(wanted, at(subject, nth, one)) !== null,
  );
  marks.before = value.length;
  return isSound;
});

/** Alone it asks for one; `minContains` and `maxContains` say how many else. */
const contains = array((value, { wanted, schema, subject, marks, judging }) => {
  const [least, most] = [Number(schema["minContains"] ?? 1), Number(schema["maxContains"] ?? Number.POSITIVE_INFINITY)];
  let found = 0;
  for (const [nth, one] of value.entries()) {
    if (judging.apply(wanted, unheard(at(subject, nth, one))) === null) continue;
    marks.elements.add(nth);
    found += 1;
  }
  if (found < least) return refused(subject, `must contain at least ${least} of what "contains" asks for, and has ${found}`);
  return found <= most || refused(subject, `must contain at most ${most} of what "contains" asks for, and has ${found}`);
});

const uniqueItems = array((value, { wanted, subject, judging }) => {
  if (wanted !== true) return true;
  const seen = new Map<string, number>();
  for (const [nth, one] of value.entries()) {
    const text = judging.textOf(one);
    const first = seen.get(text);
    if (first !== undefined) return refused(at(subject, nth, one), `is the same as element ${first}, and all must be different`);
    seen.set(text, nth);
  }
  return true;
});

const size = (holds: (size: number, wanted: number) => boolean, words: string): Rule =>
  array(
    (value, { wanted, subject }) =>
      holds(value.length, wanted as number) ||
      refused(subject, `must have ${words} ${Number(wanted)} ${wanted === 1 ? "element" : "elements"}`),
  );

export const ELEMENTS: Readonly<Record<string, Rule>> = {
  prefixItems,
  items,
  unevaluatedItems,
  contains,
  uniqueItems,
  maxItems: size((has, wanted) => has <= wanted, "at most"),
  minItems: size((has, wanted) => has >= wanted, "at least"),
};
