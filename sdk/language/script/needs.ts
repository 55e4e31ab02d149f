import { isWritten, type Mention, memberOf, type Names } from "./names.ts";
import { type Frame, isNode, staticKey } from "./walk.ts";

/** What of the context a script names; null when that cannot be told from its text. */
export type Needs = { readonly payload: boolean; readonly steps: ReadonlySet<string> } | null;

/** Ways to reach the context other than by its name. A script that says one of them may reach for anything. */
const BACK_DOORS: ReadonlySet<string> = new Set(["eval", "Function", "arguments", "globalThis"]);
/** Every object answers to these, so that `context.steps.<name>` may mean the object and not a step. */
const OF_ANY_OBJECT: ReadonlySet<string> = new Set(
  ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf", "__proto__"].concat([
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
  ]),
);

export const NEEDS_NAMES: readonly string[] = ["context", ...BACK_DOORS];

/** What a script names for certain, each where it stands first: `parts` of the context, and `steps`. */
export interface Named {
  readonly parts: ReadonlyMap<string, Frame["node"]>;
  readonly steps: ReadonlyMap<string, Frame["node"]>;
}
const NOTHING: Named = { parts: new Map(), steps: new Map() };

/** What of the context a script needs at most, and what it names. */
export function needsOf({ mentions, others }: Names): { readonly needs: Needs; readonly named: Named } {
  const found: Found = { payload: false, parts: new Map(), steps: new Map() };
  const said = mentions.filter(({ name }) => name === "context");
  const isTold = said.map((mention) => note(mention, found)).every(Boolean);
  const isCertain = isTold && !mentions.some(({ name }) => BACK_DOORS.has(name)) && !others.some(isBackDoor);
  // What the name stands for may have been changed.
  const isOwn = said.some(({ writes }) => writes) || mentions.some(({ name }) => name === "eval") || others.some(isWith);
  return {
    needs: isCertain ? { payload: found.payload, steps: new Set(found.steps.keys()) } : null,
    named: isOwn ? NOTHING : found,
  };
}

/** `this`, `with`, `x.constructor`. */
const isBackDoor = ({ node }: Frame): boolean => node.type !== "ImportExpression";

const isWith = ({ node }: Frame): boolean => node.type === "WithStatement";

type Places = Map<string, Frame["node"]>;
type Found = { payload: boolean; readonly parts: Places; readonly steps: Places };

function place(places: Places, name: string, node: unknown): void {
  if (isNode(node) && node.start < (places.get(name)?.start ?? Number.POSITIVE_INFINITY)) places.set(name, node);
}

/** Notes what one mention of `context` names; false when that cannot be told. */
function note(mention: Mention, found: Found): boolean {
  if (mention.writes) return false;
  const member = memberOf(mention);
  if (!member) return destructured(mention.frame, (part) => notePart(part, found, () => pattern(part.value, noteStep(found))));
  const { frame, property: key } = member;
  return notePart({ key, node: frame.node["property"] }, found, () => stepsOf(frame, found));
}

function notePart({ key, node }: Pick<Part, "key" | "node">, found: Found, steps: () => boolean): boolean {
  if (key === null || OF_ANY_OBJECT.has(key)) return false;
  place(found.parts, key, node);
  if (key === "steps") return steps();
  // A loop gives these to whatever runs in it.
  if (key === "item" || key === "iteration") return true;
  if (key !== "payload" && key !== "trigger") return false;
  found.payload = true;
  return true;
}

/** `context.steps` in `frame`: one of its properties, or a pattern of them. */
function stepsOf(frame: Frame, found: Found): boolean {
  const member = frame.key === "object" && frame.up?.node.type === "MemberExpression" ? frame.up.node : null;
  if (!member) return !isWritten(frame) && destructured(frame, noteStep(found));
  const { property, computed } = member;
  return noteStep(found)({ key: staticKey(property, computed), node: property });
}

const noteStep =
  (found: Found) =>
  ({ key, node }: Pick<Part, "key" | "node">): boolean => {
    if (key === null || OF_ANY_OBJECT.has(key)) return false;
    place(found.steps, key, node);
    return true;
  };

/** One property of a pattern: its name, what it is taken as, and where it stands. */
interface Part {
  readonly key: string | null;
  readonly value: unknown;
  readonly node: unknown;
}
type Take = (part: Part) => boolean;

/** Whether the expression of `frame` is taken apart by `const { … } =`, and `take` can tell every part. */
function destructured({ node, key, up }: Frame, take: Take): boolean {
  return up?.node.type === "VariableDeclarator" && key === "init" && up.node["init"] === node && pattern(up.node["id"], take);
}

function pattern(value: unknown, take: Take): boolean {
  const target = isNode(value) && value.type === "AssignmentPattern" ? value["left"] : value;
  if (!isNode(target) || target.type !== "ObjectPattern" || !Array.isArray(target["properties"])) return false;
  return target["properties"].every(
    (property: unknown) =>
      isNode(property) &&
      property.type === "Property" &&
      take({ key: staticKey(property["key"], property["computed"]), value: property["value"], node: property["key"] }),
  );
}
