// What one query may ask for. Numbers here are tested at and past their edge.
import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import type { ApiCode } from "./errors.ts";
import type { Bounds } from "./gate.ts";

export const BODY_BYTES: number = 4 * 1024 * 1024;
/** With the file of a plugin in it: 20 MiB in base64, and a manifest. */
export const UPLOAD_BYTES: number = 28 * 1024 * 1024;
/** A query's text, without its variables. */
export const QUERY_BYTES: number = 256 * 1024;
export const TOKENS = 2_000;
/** The schema's longest path has eight fields. */
export const DEPTH = 8;
export const ALIASES = 15;
/** Product of the list sizes along a path, summed over paths that lie side by side. */
export const COST = 5_000;
/** Members of a list in the variables; what a list means may allow fewer. Payloads and definitions are no lists of the query's. */
export const INPUT_LIST = 1_000;

/** Few enough that one request's questions never wait in vain for another's; and no tenant has it all. */
export const GATE: Bounds = { inside: 16, line: 2_000, lineBytes: 64 * 1024 * 1024, share: 0.75, patienceMs: 10_000 };
/** A body of more bytes goes through the lane, one at a time: it keeps the process busy for 10 ms and more. */
export const LARGE_BODY: number = 64 * 1024;
/** What takes more steps than that to judge passes the lane too, however short it is: a schema may ask for a second. */
export const QUICK_STEPS = 100_000;
export const LANE: Bounds = { ...GATE, inside: 1 };
/** Bodies past BODY_BYTES: two at once, one a tenant. What waits for a place holds a usual body's bytes. */
export const UPLOADS: Bounds = { inside: 2, line: 8, lineBytes: 8 * BODY_BYTES, share: 0.5, patienceMs: 10_000 };

/** What a webhook's body may have, and how long it may take to come. */
export const HOOK_BODY_BYTES: number = 1024 * 1024;
export const HOOK_BODY_MS = 10_000;
/** Webhooks that are here at once, whatever they wait for. */
export const HOOKS_AT_ONCE = 4_000;
/** Whose door it is, asked by whoever comes; strangers to every tenant share one place in line. */
export const HOOK_LOOKS: Bounds = { inside: 8, line: 2_000, lineBytes: 1, share: 0.75, patienceMs: 10_000 };
/** Bodies that are read, verified and stored: each holds HOOK_BODY_BYTES at most, from its first byte to its answer. */
export const HOOK_BODIES: Bounds = { ...HOOK_LOOKS, inside: 64 };

/** All who decide approvals by a token, who are known to nobody, share a place beside the others. */
export const APPROVALS: Bounds = { inside: 4, line: 200, lineBytes: 1, share: 1, patienceMs: 10_000 };
/** A decision is a short text. */
export const DECISION_BYTES = 1_024;

/** Introspection is bounded by graphql's own rule (lists nested at most three deep) and has no part in depth. */
const INTROSPECTION = new Set(["__schema", "__type"]);

export const LIMIT_RULES: readonly ValidationRule[] = [depthRule, aliasRule];

function depthRule(context: ValidationContext): ASTVisitor {
  const depthOf = fragmentWise(context.getDocument(), (name, below) => (INTROSPECTION.has(name) ? 1 : 1 + below), Math.max);
  return {
    OperationDefinition: (node) => {
      const depth = depthOf(node.selectionSet);
      if (depth > DEPTH) context.reportError(refusal("WOML_QUERY_TOO_DEEP", `the query is ${depth} fields deep`, DEPTH, depth));
    },
  };
}

function aliasRule(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  return {
    Field: (node) => {
      if (node.alias) aliases += 1;
    },
    Document: {
      leave: () => {
        if (aliases > ALIASES) {
          context.reportError(refusal("WOML_QUERY_ALIASES_EXCEEDED", `the query holds ${aliases} aliases`, ALIASES, aliases));
        }
      },
    },
  };
}

/**
 * Folds a selection set bottom up. A fragment is folded once however often it is spread, so that nested spreads cost nothing; one
 * that contains itself (another rule refuses it) counts as empty there.
 */
export function fragmentWise(
  document: DocumentNode,
  field: (name: string, below: number, node: FieldLike) => number,
  join: (...sides: readonly number[]) => number,
): (set: SelectionSetNode) => number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const known = new Map<string, number>();
  const spread = (name: string): number => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, 0);
    const fragment = fragments.get(name);
    const value = fragment ? of(fragment.selectionSet) : 0;
    known.set(name, value);
    return value;
  };
  const of = (set: SelectionSetNode): number => {
    const sides = set.selections.map((node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return spread(node.name.value);
      if (node.kind === Kind.INLINE_FRAGMENT) return of(node.selectionSet);
      return field(node.name.value, node.selectionSet ? of(node.selectionSet) : 0, node);
    });
    return join(0, ...sides);
  };
  return of;
}
type FieldLike = Extract<SelectionSetNode["selections"][number], { readonly kind: Kind.FIELD }>;

export function refusal(code: ApiCode, what: string, limit: number, actual: number): GraphQLError {
  return new GraphQLError(`${what}; at most ${limit} are allowed`, { extensions: { code, limit, actual } });
}

export function querysFault(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "WOML_QUERY_INVALID" } });
}
