// Keywords about the members of an object.
import type { Json } from "../value.ts";
import { type Asked, isList, isMembers, type Members, type Rule, refused, type Subject, shown, taken } from "./judged.ts";

/** A rule for objects: what is none is as it says. */
const object =
  (rule: (value: Members, asked: Asked) => boolean): Rule =>
  (asked) =>
    !isMembers(asked.subject.value) || rule(asked.subject.value, asked);

const at = (subject: Subject, key: string, value: Json): Subject => ({ ...subject, value, way: { above: subject.way, key } });

/** Whether all of them hold: where somebody asks what is wrong, none is left out. */
export function every<T>(items: Iterable<T>, { tell }: Subject, holds: (item: T) => boolean): boolean {
  let isSound = true;
  for (const item of items) {
    if (holds(item)) continue;
    if (tell === null) return false;
    isSound = false;
  }
  return isSound;
}

function member(key: string, schema: Json, { subject, marks, judging }: Asked, value: Json): boolean {
  marks.members.add(key);
  return judging.apply(schema, at(subject, key, value)) !== null;
}

const properties = object((value, asked) =>
  every(Object.entries(asked.wanted as Members), asked.subject, ([key, schema]) => {
    asked.judging.work.spend(1);
    return !Object.hasOwn(value, key) || member(key, schema, asked, value[key] ?? null);
  }),
);

const patternProperties = object((value, asked) =>
  every(Object.entries(asked.wanted as Members), asked.subject, ([pattern, schema]) => {
    const automaton = asked.judging.automaton(pattern);
    return every(Object.entries(value), asked.subject, ([key, one]) => !automaton.test(key) || member(key, schema, asked, one));
  }),
);

const additionalProperties = object((value, asked) => {
  const { schema, subject, judging } = asked;
  const named = schema["properties"] as Members | undefined;
  const patterns = Object.keys(schema["patternProperties"] ?? {}).map((pattern) => judging.automaton(pattern));
  return every(Object.entries(value), subject, ([key, one]) => {
    judging.work.spend(1);
    if (named !== undefined && Object.hasOwn(named, key)) return true;
    if (patterns.some((pattern) => pattern.test(key))) return true;
    return asked.wanted === false ? stray(subject, key, asked) : member(key, asked.wanted, asked, one);
  });
});

function stray(subject: Subject, key: string, { marks }: Asked): false {
  marks.members.add(key);
  return refused({ ...subject, way: { above: subject.way, key } }, "is not expected");
}

const unevaluatedProperties = object((value, asked) =>
  every(Object.entries(value), asked.subject, ([key, one]) => {
    asked.judging.work.spend(1);
    if (asked.marks.members.has(key)) return true;
    return asked.wanted === false ? stray(asked.subject, key, asked) : member(key, asked.wanted, asked, one);
  }),
);

const propertyNames = object((value, { wanted, subject, judging }) =>
  every(Object.keys(value), subject, (key) => {
    judging.work.spend(1);
    return judging.apply(wanted, at(subject, key, key)) !== null;
  }),
);

const required = object((value, { wanted, subject, judging }) => {
  judging.work.spend((wanted as readonly Json[]).length);
  return hasAll(value, wanted, subject, "");
});

function hasAll(value: Members, names: Json, subject: Subject, why: string): boolean {
  return every(
    names as readonly string[],
    subject,
    (name) => Object.hasOwn(value, name) || refused({ ...subject, way: { above: subject.way, key: name } }, `is missing${why}`),
  );
}

/** Names that must be there, or a schema, for whoever has a member. */
const dependent = object((value, asked) =>
  every(Object.entries(asked.wanted as Members), asked.subject, ([key, then]) => {
    const { subject, judging } = asked;
    judging.work.spend(1 + (isList(then) ? then.length : 0));
    if (!Object.hasOwn(value, key)) return true;
    if (isList(then)) return hasAll(value, then, subject, `, and must be there beside ${shown(key)}`);
    return taken(judging.apply(then, subject), asked);
  }),
);

const size = (holds: (size: number, wanted: number) => boolean, words: string): Rule =>
  object((value, { wanted, subject, judging }) => {
    const has = Object.keys(value).length;
    judging.work.spend(has / 4);
    return holds(has, wanted as number) || refused(subject, `must have ${words} ${Number(wanted)} ${wanted === 1 ? "member" : "members"}`);
  });

export const MEMBERS: Readonly<Record<string, Rule>> = {
  properties,
  patternProperties,
  additionalProperties,
  unevaluatedProperties,
  propertyNames,
  required,
  dependentRequired: dependent,
  dependentSchemas: dependent,
  dependencies: dependent,
  maxProperties: size((has, wanted) => has <= wanted, "at most"),
  minProperties: size((has, wanted) => has >= wanted, "at least"),
};
