import type { Node } from "./definition.ts";
import type { ApprovalNode } from "./node/approval.ts";
import type { Reusable, Script } from "./node/script.ts";
import type { StepNode } from "./node/step.ts";
import type { Outline } from "./outline.ts";
import type { Reference } from "./reference.ts";
import { hooksOf, noticesOf, type Placed, scriptsOfReusable } from "./scripts.ts";
import { pointer } from "./violation.ts";

/** A reference and where it stands. */
export interface Place {
  readonly path: string;
  readonly reference: Reference;
}
/**
 * A place in a flow that reads outputs: `node` is where it stands. It may read what the node sees and, for a result of a choice, what is
 * certain at the end of `arm`; when it comes after the node (`isAfter`), the node's own output.
 */
export interface Reading extends Place {
  readonly node: string;
  readonly arm: string | null;
  readonly isAfter: boolean;
}

/** Every reference of a flow: tests, values, items, results, props, and what scripts say they need. */
export function* readings(outline: Outline): Generator<Reading> {
  for (const node of outline.flow.nodes) yield* ofNode(node, outline.nodePath(node.id));
  const { loop, path, links } = outline;
  if (!loop?.result) return;
  const last = loop.body.nodes.find(({ id }) => links.outgoing(id).length === 0)?.id ?? "";
  yield { node: last, arm: null, isAfter: true, path: path.replace(/body$/, "result"), reference: loop.result };
}

function* ofNode(node: Node, path: string): Generator<Reading> {
  const here = (reference: Reference, at: string): Reading => ({ node: node.id, arm: null, isAfter: false, path: path + at, reference });
  switch (node.kind) {
    case "select":
      for (const [at, { test }] of node.arms.entries()) yield here(test, `/arms/${at}/test`);
      break;
    case "switch":
      yield here(node.value, "/value");
      break;
    case "choice":
      for (const [at, { arm, value }] of (node.results ?? []).entries()) yield { ...here(value, `/results/${at}/value`), arm };
      break;
    case "for-each":
      yield here(node.items, "/items");
      break;
    case "step":
    case "approval":
      for (const { path: at, reference, isAfter } of node.kind === "step" ? ofStep(node) : ofApproval(node)) {
        yield { ...here(reference, at), isAfter };
      }
  }
}

type Near = Place & { readonly isAfter: boolean };

function* ofStep(node: StepNode): Generator<Near> {
  if (!node.reusable) yield* ofScript(node.script, "/script", false);
  else yield* ofReusable({ part: { script: node.script, reusable: node.reusable }, path: "", owner: node.id });
}

function* ofApproval(node: ApprovalNode): Generator<Near> {
  for (const [at, notice] of (node.notices ?? []).entries()) {
    if (notice.provider === "custom") yield* ofReusable({ part: notice, path: `/notices${pointer(at)}`, owner: node.id });
  }
}

function* ofScript({ needs }: Script, path: string, isAfter: boolean): Generator<Near> {
  for (const [at, id] of (needs?.steps ?? []).entries()) yield { path: `${path}/needs/steps/${at}`, reference: ["steps", id], isAfter };
}

/** Its own lifecycle comes after it. */
function* ofReusable(placed: Placed<{ readonly script: Script; readonly reusable: Reusable }>): Generator<Near> {
  for (const [at, { value }] of placed.part.reusable.props.entries()) {
    if (value.kind !== "reference") continue;
    yield { path: `${placed.path}/reusable/props${pointer(at)}/value/path`, reference: value.path, isAfter: false };
  }
  for (const { part, path } of scriptsOfReusable(placed)) yield* ofScript(part, path, part !== placed.part.script);
}

/** References of hooks, which may be told of anything: they stand at no node, and read what has completed by then. */
export function* hookReadings(whole: Outline): Generator<Place> {
  for (const { part: hook, path } of hooksOf(whole)) {
    for (const [at, action] of hook.actions.entries()) {
      if (action.kind === "script") yield* ofScript(action.script, `${path}/actions${pointer(at)}/script`, false);
    }
  }
  for (const { part, path, owner, hook } of noticesOf(whole)) {
    if (hook && part.provider === "custom") yield* ofReusable({ part, path, owner });
  }
}

/** The node whose output a reference reads; null when it reads the payload, or the item of `inLoop`; undefined when it is none of them. */
export function readNode([root, next, ...more]: Reference, inLoop: boolean): string | null | undefined {
  if (root === "payload" || (inLoop && root === "item")) return null;
  if (inLoop && root === "iteration" && (next === "index" || next === "total") && more.length === 0) return null;
  return root === "steps" ? next : undefined;
}
