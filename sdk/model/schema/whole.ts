// Keywords that apply other schemas to the same value.
import type { Json } from "../value.ts";
import { type Asked, type Rule, refused, taken, unheard } from "./judged.ts";
import { every } from "./members.ts";
import type { Placed } from "./resources.ts";

const reference =
  (lead: (asked: Asked) => Placed): Rule =>
  (asked) =>
    taken(asked.judging.applyPlaced(lead(asked), asked.subject), asked);

const allOf: Rule = (asked) =>
  every(asked.wanted as readonly Json[], asked.subject, (schema) => taken(asked.judging.apply(schema, asked.subject), asked));

/** How many hold: all are tried, for each may have looked at something else. */
function holding(asked: Asked): number {
  const subject = unheard(asked.subject);
  return (asked.wanted as readonly Json[]).filter((schema) => taken(asked.judging.apply(schema, subject), asked)).length;
}

const anyOf: Rule = (asked) => holding(asked) > 0 || refused(asked.subject, 'must be as one of "anyOf" says');

const oneOf: Rule = (asked) => {
  const count = holding(asked);
  return count === 1 || refused(asked.subject, `must be as exactly one of "oneOf" says, and is as ${count} of them say`);
};

const not: Rule = ({ wanted, subject, judging }) =>
  judging.apply(wanted, unheard(subject)) === null || refused(subject, 'must not be as "not" says');

const condition: Rule = (asked) => {
  const { wanted, schema, subject, judging } = asked;
  const isSo = taken(judging.apply(wanted, unheard(subject)), asked);
  const then = schema[isSo ? "then" : "else"];
  return then === undefined || taken(judging.apply(then, subject), asked);
};

export const WHOLE: Readonly<Record<string, Rule>> = {
  $ref: reference(({ wanted, subject, judging }) => judging.follow(String(wanted), subject.scope)),
  $recursiveRef: reference(({ wanted, subject, judging }) => judging.follow(String(wanted), subject.scope)),
  $dynamicRef: reference(({ wanted, subject, judging }) => judging.followDynamic(String(wanted), subject.scope)),
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
};
