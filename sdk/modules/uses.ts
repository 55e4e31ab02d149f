import type { Program } from "acorn";
import { type Fault, MOST_FAULTS } from "./diagnostic.ts";
import type { Origin } from "./origin.ts";
import type { Edit } from "./surface.ts";
import { bound, isNode, type Place, places, type Shape } from "./walk.ts";

export interface Uses {
  readonly hasTopLevelAwait: boolean;
  readonly edits: readonly Edit[];
  readonly faults: readonly Fault[];
}
const COMMONJS: ReadonlySet<string> = new Set(["require", "module", "exports"]);
const COMMONJS_HINT = "Write it as an ECMAScript module: import { price } from './prices.ts', export function total(order) { … }.";
const DYNAMIC_HINT = "Import it in front of all else: import { price } from './prices.ts'.";

/** What a module does anywhere in it that cannot be done in a bundle, or not as it stands. `text` is that of the program. */
export function uses({ body }: Program, text: string, origin: Origin): Uses {
  const commonjs: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  const dynamic: Shape[] = [];
  const edits: Edit[] = [];
  const declared = new Set<string>();
  let hasTopLevelAwait = false;
  for (const place of places(body)) {
    hasTopLevelAwait ||= awaits(place);
    for (const name of declarationsOf(place.node)) if (COMMONJS.has(name)) declared.add(name);
    if (place.node.type === "ImportExpression" || isImportMeta(place.node)) dynamic.push(place.node);
    const mark = markOf(place.node, text);
    if (mark !== null) edits.push({ start: mark, end: mark, text: " " });
    const name = commonjsName(place.node);
    if (name !== null) commonjs.push({ name, start: place.node.start, end: place.node.end });
  }
  const inOrder = dynamic.toSorted((a, b) => a.start - b.start).slice(0, MOST_FAULTS);
  const faults = inOrder.map((node) => dynamicImport(node, origin));
  // A name that the module declares itself, anywhere, is most likely its own.
  const [first] = commonjs.filter(({ name }) => !declared.has(name)).toSorted((a, b) => a.start - b.start);
  if (first) {
    const start = origin.offset(first.start, first.name);
    const message = `${first.name} is CommonJS, and a module is an ECMAScript module.`;
    faults.push({ code: "WOML_MODULE_COMMONJS_UNSUPPORTED", message, hint: COMMONJS_HINT, start, end: start + first.name.length });
  }
  return { hasTopLevelAwait, edits, faults };
}

const awaits = ({ node, inFunction }: Place): boolean =>
  !inFunction && (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node["await"] === true));

const isImportMeta = ({ type, meta }: Shape): boolean => type === "MetaProperty" && isNamed(meta, "import");

/** Where `a<!--b` has to be parted: a bundle may be run as a script, and there `<!--` begins a comment. */
function markOf({ type, operator, right }: Shape, text: string): number | null {
  if (type !== "BinaryExpression" || operator !== "<" || !isNode(right)) return null;
  return text.startsWith("<!--", right.start - 1) ? right.start : null;
}

function dynamicImport(node: Shape, origin: Origin): Fault {
  if (node.type === "MetaProperty") return importMeta(node, origin);
  const { source } = node;
  const literal = isNode(source) && source.type === "Literal" && typeof source["value"] === "string" ? source["value"] : null;
  const start = literal === null || !isNode(source) ? origin.offset(node.start, "import") : origin.offset(source.start + 1, literal);
  return {
    code: "WOML_MODULE_DYNAMIC_IMPORT_UNSUPPORTED",
    message: "A module may not use import(): all that it needs is bundled before it runs.",
    hint: DYNAMIC_HINT,
    start,
    end: start + (literal ?? "import").length,
  };
}

function importMeta(node: Shape, origin: Origin): Fault {
  const start = origin.offset(node.start, "import.meta");
  const message = "A module may not use import.meta: it runs without a place of its own.";
  return {
    code: "WOML_MODULE_IMPORT_UNSUPPORTED",
    message,
    hint: "Write out what it would tell.",
    start,
    end: start + "import.meta".length,
  };
}

/** `require(…)`, `module.exports`, `exports.name`. */
function commonjsName({ type, callee, object, property, computed }: Shape): string | null {
  if (type === "CallExpression") return isNamed(callee, "require") ? "require" : null;
  if (type !== "MemberExpression") return null;
  if (isNamed(object, "exports")) return "exports";
  return isNamed(object, "module") && computed !== true && isNamed(property, "exports") ? "module" : null;
}

const isNamed = (value: unknown, name: string): boolean => isNode(value) && value.type === "Identifier" && value["name"] === name;

function* declarationsOf({ type, id, params, param, local }: Shape): Generator<string> {
  if (type === "VariableDeclarator" || /^(Function|Class)/.test(type)) yield* bound(id);
  if (Array.isArray(params)) for (const one of params) yield* bound(one);
  if (type === "CatchClause") yield* bound(param);
  if (/^Import\w*Specifier$/.test(type)) yield* bound(local);
}
