import type { Remark } from "../../diagnostic.ts";
import type { Access } from "../../script/access.ts";
import { literalOf, type Member, membersOf } from "../../script/literal.ts";
import type { Judged } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";

type Node = Access["node"];
export type Say = Judged["say"];
/** Says what is wrong with the value of one property. */
export type Judge = (value: Node, say: Say) => void;

/** What the literal of an object may hold, and what is said where it holds something else. */
export interface Form {
  readonly properties: Readonly<Record<string, Judge>>;
  readonly required?: readonly string[];
  /** Not an object written out here; a spread, a computed name, an accessor in it. */
  readonly indirect: Remark;
  readonly unknown: (name: string, names: readonly string[]) => Remark;
  readonly repeated?: (name: string) => Remark;
  readonly missing?: (names: readonly string[]) => Remark;
}

/** Judges an object that must be written out where it is passed. A name that is wrong may stand for one that is missing: it is said alone. */
export function judgeObject(node: Node, form: Form, say: Say): void {
  if (node.type !== "ObjectExpression") {
    say(node, form.indirect);
    return;
  }
  const seen = new Set<string>();
  let isWhole = true;
  for (const member of membersOf(node)) {
    const remark = remarkOn(member, form, seen);
    if (remark) say(member.node, remark);
    else if (member.key !== null) form.properties[member.key]?.(member.value, say);
    if (member.key !== null) seen.add(member.key);
    isWhole &&= remark === null;
  }
  const absent = (form.required ?? []).filter((name) => !seen.has(name));
  if (isWhole && absent.length > 0 && form.missing) say(node, form.missing(absent));
}

function remarkOn({ key }: Member, { properties, indirect, unknown, repeated }: Form, seen: ReadonlySet<string>): Remark | null {
  if (key === null) return indirect;
  if (!Object.hasOwn(properties, key)) return unknown(key, Object.keys(properties));
  return seen.has(key) && repeated ? repeated(key) : null;
}

/** A value that `holds` when it is written out; one that is computed is judged when the script runs. */
export const literal =
  (holds: (value: unknown) => boolean, remark: Remark): Judge =>
  (node, say) => {
    const written = literalOf(node);
    if (written && !holds(written.value)) say(node, remark);
  };

const LONGEST_NAME = 128;
const NAME = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/;

/** The name by which an effect is known in a later attempt. */
export const isOperationName = (value: unknown): boolean => typeof value === "string" && value.length <= LONGEST_NAME && NAME.test(value);
export const NAME_HINT = 'Lower case words and digits with . _ or - between them, at most 128 characters: "order.created".';

export const listed = (names: readonly string[]): string => names.map((name) => quoted(name)).join(", ");
