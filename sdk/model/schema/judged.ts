import type { Json } from "../value.ts";
import type { Automaton } from "./automaton.ts";
import type { Way } from "./fault.ts";
import type { Marks } from "./marks.ts";
import type { Placed, Resource } from "./resources.ts";
import type { Work } from "./work.ts";

export type Members = { readonly [key: string]: Json };

/** The resources that judging has come through, from the innermost. */
export type Scope = { readonly resource: Resource; readonly outer: Scope; readonly depth: number } | null;

/** A value, where it stands, and who asks. `tell` is null where nobody wants to know what is wrong. */
export interface Subject {
  readonly value: Json;
  readonly way: Way;
  readonly scope: Scope;
  readonly tell: ((way: Way, message: string) => void) | null;
}
/** What keywords ask of whoever judges. */
export interface Judging {
  readonly work: Work;
  /** What a schema has looked at; null: the value is not as it says. */
  apply(schema: Json, subject: Subject): Marks | null;
  applyPlaced(placed: Placed, subject: Subject): Marks | null;
  automaton(pattern: string): Automaton;
  /** The same text for the same value, and only for that. */
  textOf(value: Json): string;
  /** What a reference leads to from where the subject stands. */
  follow(reference: string, scope: Scope): Placed;
  /** The same for a dynamic one: the outermost place of that name that judging has come through. */
  followDynamic(reference: string, scope: Scope): Placed;
}
/** A keyword with the schema that it stands in. */
export interface Asked {
  readonly wanted: Json;
  readonly schema: Members;
  readonly subject: Subject;
  readonly marks: Marks;
  readonly judging: Judging;
}
/** Whether a value is as a keyword says. It tells what is wrong, where somebody asks. */
export type Rule = (asked: Asked) => boolean;

export const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
export const isMembers = (value: Json): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** false, with what is wrong told. */
export function refused({ tell, way }: Subject, message: string): false {
  tell?.(way, message);
  return false;
}
/** A mark that is handed on takes as long as two keywords: they are handed on by each schema that stands around. */
export function taken(found: Marks | null, { marks, judging }: Pick<Asked, "marks" | "judging">): boolean {
  if (found === null) return false;
  judging.work.spend(2 * found.size);
  marks.add(found);
  return true;
}
/** The subject without an ear: what is found wrong is no fault. */
export const unheard = (subject: Subject): Subject => (subject.tell === null ? subject : { ...subject, tell: null });

/** A value as it is shown in a message. */
export function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
}
const SHOWN = 100;
