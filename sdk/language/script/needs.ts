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

export function needsOf({ mentions, others }: Names): Needs {
  if (mentions.some(({ name }) => BACK_DOORS.has(name)) || others.some(isBackDoor)) return null;
  const found = { payload: false, steps: new Set<string>() };
  return mentions.every((mention) => mention.name !== "context" || note(mention, found)) ? found : null;
}

function isBackDoor({ node }: Frame): boolean {
  if (node.type === "MemberExpression") return staticKey(node["property"], node["computed"]) === "constructor";
  return node.type === "ThisExpression" || node.type === "WithStatement";
}

type Found = { payload: boolean; readonly steps: Set<string> };

/** Notes what one mention of `context` names; false when that cannot be told. */
function note(mention: Mention, found: Found): boolean {
  if (mention.writes) return false;
  const member = memberOf(mention);
  if (!member) return destructured(mention.frame, (key, value) => noteKey(key, found, () => pattern(value, noteStep(found))));
  return noteKey(member.property, found, () => stepsOf(member.frame, found));
}

function noteKey(key: string | null, found: Found, steps: () => boolean): boolean {
  if (key === "steps") return steps();
  if (key !== "payload" && key !== "trigger") return false;
  found.payload = true;
  return true;
}

/** `context.steps` in `frame`: one of its properties, or a pattern of them. */
function stepsOf(frame: Frame, found: Found): boolean {
  const member = frame.key === "object" && frame.up?.node.type === "MemberExpression" ? frame.up.node : null;
  if (!member) return !isWritten(frame) && destructured(frame, noteStep(found));
  return noteStep(found)(staticKey(member["property"], member["computed"]));
}

const noteStep =
  (found: Found) =>
  (key: string | null): boolean => {
    if (key === null || OF_ANY_OBJECT.has(key)) return false;
    found.steps.add(key);
    return true;
  };

type Take = (key: string | null, value: unknown) => boolean;

/** Whether the expression of `frame` is taken apart by `const { … } =`, and `take` can tell every part. */
function destructured({ node, key, up }: Frame, take: Take): boolean {
  return up?.node.type === "VariableDeclarator" && key === "init" && up.node["init"] === node && pattern(up.node["id"], take);
}

function pattern(value: unknown, take: Take): boolean {
  const target = isNode(value) && value.type === "AssignmentPattern" ? value["left"] : value;
  if (!isNode(target) || target.type !== "ObjectPattern" || !Array.isArray(target["properties"])) return false;
  return target["properties"].every(
    (property: unknown) =>
      isNode(property) && property.type === "Property" && take(staticKey(property["key"], property["computed"]), property["value"]),
  );
}
