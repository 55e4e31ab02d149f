import { canonical } from "../canonical.ts";
import { byText } from "../text.ts";
import type { Json } from "../value.ts";
import { byPath, clipped } from "../violation.ts";
import { Automaton } from "./automaton.ts";
import { Unreadable } from "./characters.ts";
import { ELEMENTS } from "./elements.ts";
import { pointerOf, type Way } from "./fault.ts";
import { isMembers, type Judging, type Members, type Rule, refused, type Scope, type Subject, shown } from "./judged.ts";
import { Marks } from "./marks.ts";
import { MEMBERS } from "./members.ts";
import { follow } from "./reference.ts";
import { type Placed, type Resource, type Resources, resourcesOf } from "./resources.ts";
import { VALUES } from "./values.ts";
import { WHOLE } from "./whole.ts";
import { Exhausted, Work } from "./work.ts";

/**
 * What in a payload is not as its schema says. `path` is a JSON pointer into the payload, cut after 1,024 characters; `message` goes on from there: "must
 * be string". `code` stands where it could not be judged: it costs too much (WOML_PAYLOAD_TOO_COMPLEX), or the schema is none (WOML_PAYLOAD_SCHEMA_UNUSABLE).
 */
export interface PayloadIssue {
  readonly path: string;
  readonly message: string;
  readonly code?: "WOML_PAYLOAD_TOO_COMPLEX" | "WOML_PAYLOAD_SCHEMA_UNUSABLE";
}

/** Most in one answer. */
const MOST_ISSUES = 100;

/**
 * Judges a payload by a schema of JSON Schema 2020-12, without making code of either: at most 100 issues, sorted by path; none: it is as
 * the schema says. Formats are remarks, and references stay within the schema. Time is bounded, and linear in a text for every pattern.
 */
export function payloadIssues(schema: Json, value: Json, steps?: number): readonly PayloadIssue[] {
  return payloadJudge(steps)(schema, value);
}

/** The same for several that together may cost no more than one. `steps`: fewer than one may cost, for whoever asks again in a better place. */
export function payloadJudge(steps?: number): (schema: Json, value: Json) => readonly PayloadIssue[] {
  const work = new Work(steps);
  return (schema, value) => judged(new Judge(schema, work), value);
}

function judged(judge: Judge, value: Json): readonly PayloadIssue[] {
  const found: PayloadIssue[] = [];
  const tell = (way: Way, message: string): void => {
    found.push({ path: clipped(pointerOf(way)), message });
    if (found.length >= MOST_ISSUES) throw new Enough();
  };
  try {
    judge.judge(value, tell);
  } catch (stopped) {
    if (stopped instanceof Exhausted) return [{ path: "", message: `${stopped.why} to be judged`, code: "WOML_PAYLOAD_TOO_COMPLEX" }];
    if (stopped instanceof Unreadable)
      return [{ path: "", message: `cannot be judged: ${stopped.message}`, code: "WOML_PAYLOAD_SCHEMA_UNUSABLE" }];
    if (!(stopped instanceof Enough)) throw stopped;
  }
  return found.sort((a, b) => byPath(a.path, b.path) || byText(a.message, b.message));
}

/** So many issues were found that no more are looked for. */
class Enough {}

const RULES: ReadonlyMap<string, Rule> = new Map(Object.entries({ ...VALUES, ...MEMBERS, ...ELEMENTS, ...WHOLE }));
/** What is left when all others have looked. */
const LAST: readonly string[] = ["unevaluatedProperties", "unevaluatedItems"];

class Judge implements Judging {
  readonly work: Work;
  readonly #root: Json;
  readonly #resources: Resources;
  readonly #automata = new Map<string, Automaton>();
  readonly #followed = new Map<Resource, Map<string, Placed>>();
  readonly #texts = new Map<Json, string>();

  constructor(root: Json, work: Work) {
    this.work = work;
    this.#root = root;
    this.#resources = resourcesOf(root);
  }

  judge(value: Json, tell: NonNullable<Subject["tell"]>): void {
    this.apply(this.#root, { value, way: null, scope: null, tell });
  }

  apply(schema: Json, subject: Subject): Marks | null {
    if (!isMembers(schema)) this.work.spend(1);
    if (schema === true) return new Marks();
    if (!isMembers(schema)) return schema === false ? this.#never(subject) : unusable("a schema is neither an object nor true or false");
    const resource = this.#resources.of.get(schema) ?? subject.scope?.resource;
    return resource === undefined ? unusable("it is no schema") : this.#enter(schema, subject, resource);
  }

  applyPlaced({ part: { schema }, resource }: Placed, subject: Subject): Marks | null {
    return isMembers(schema) ? this.#enter(schema, subject, this.#resources.of.get(schema) ?? resource) : this.apply(schema, subject);
  }

  automaton(pattern: string): Automaton {
    const known = this.#automata.get(pattern);
    if (known) return known;
    const made = new Automaton(pattern, this.work);
    this.#automata.set(pattern, made);
    return made;
  }

  textOf(value: Json): string {
    const known = this.#texts.get(value);
    const text = known ?? canonical(value);
    this.work.spend(1 + (known === undefined ? text.length / 16 : 0));
    if (known === undefined) this.#texts.set(value, text);
    return text;
  }

  follow(reference: string, scope: Scope): Placed {
    this.work.spend(1);
    const resource = scope?.resource ?? unusable("nothing stands around a reference");
    const followed = this.#followed.get(resource) ?? new Map<string, Placed>();
    this.#followed.set(resource, followed);
    const known = followed.get(reference);
    if (known) return known;
    this.work.spend(10 + reference.length / 16);
    const found = follow(reference, resource, this.#resources) ?? unusable(`the reference ${shown(reference)} leads to nothing`);
    followed.set(reference, found);
    return found;
  }

  followDynamic(reference: string, scope: Scope): Placed {
    const found = this.follow(reference, scope);
    const name = reference.slice(reference.indexOf("#") + 1);
    const { schema } = found.part;
    if (!isMembers(schema) || schema["$dynamicAnchor"] !== name) return found;
    let outermost = found;
    for (let at = scope; at !== null; at = at.outer) {
      this.work.spend(1);
      const { root } = at.resource;
      const named = this.#resources.dynamic.get(name)?.find(({ resource }) => resource.root === root);
      if (named) outermost = named;
    }
    return outermost;
  }

  #never(subject: Subject): null {
    refused(subject, "is not expected");
    return null;
  }

  #enter(schema: Members, before: Subject, resource: Resource): Marks | null {
    const depth = (before.scope?.depth ?? 0) + 1;
    this.work.enter(depth);
    const subject = { ...before, scope: { resource, outer: before.scope, depth } };
    const marks = new Marks();
    let isSound = true;
    for (const [key, wanted] of Object.entries(schema)) {
      const rule = LAST.includes(key) ? undefined : RULES.get(key);
      if (rule === undefined || rule({ wanted, schema, subject, marks, judging: this })) continue;
      if (subject.tell === null) return null;
      isSound = false;
    }
    if (!isSound) return null;
    return LAST.every((key) => this.#last(key, schema, subject, marks)) ? marks : null;
  }

  #last(key: string, schema: Members, subject: Subject, marks: Marks): boolean {
    const wanted = schema[key];
    return wanted === undefined || RULES.get(key)?.({ wanted, schema, subject, marks, judging: this }) !== false;
  }
}

function unusable(why: string): never {
  throw new Unreadable(why);
}
