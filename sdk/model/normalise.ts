import type { Definition, Node } from "./definition.ts";
import type { Edge } from "./edge.ts";
import { HOOK_EVENTS } from "./hook-events.ts";
import type { Hook } from "./lifecycle.ts";
import type { BodyNode, ForEachNode } from "./node/for-each.ts";
import type { Notice } from "./node/notice.ts";
import type { Reusable, Script } from "./node/script.ts";
import type { StepNode } from "./node/step.ts";
import { byText } from "./text.ts";
import type { Trigger } from "./trigger.ts";

const byEdge = (a: Edge, b: Edge): number => byText(a.from, b.from) || byText(a.to, b.to) || byText(a.arm ?? "", b.arm ?? "");
const byId = (a: { readonly id: string }, b: { readonly id: string }): number => byText(a.id, b.id);
const byAlias = (a: { readonly alias: string }, b: { readonly alias: string }): number => byText(a.alias, b.alias);
const byDigest = (a: { readonly digest: string }, b: { readonly digest: string }): number => byText(a.digest, b.digest);
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => byText(a.name, b.name);
const byEvent = (a: Hook, b: Hook): number => HOOK_EVENTS.indexOf(a.on) - HOOK_EVENTS.indexOf(b.on);

/**
 * The same definition in its one order: nodes by id, edges by from, to and arm, in bodies of loops too; uses and what a script imports by alias, modules by digest, hooks
 * by their event, props by name; what a script calls and names, the branches of a join, the steps of a hook, and what a trigger
 * listens to, by their text. Two that differ in these orders alone become equal. Triggers, arms, results, actions, notices and their
 * destinations, and what a script needs keep theirs.
 */
export function normalise(definition: Definition): Definition {
  const { uses, modules, lifecycle } = definition;
  return {
    ...definition,
    ...(uses && { uses: uses.map(contracted).sort(byAlias) }),
    ...(modules && { modules: modules.map((module) => ({ ...module, exports: module.exports.toSorted(byText) })).sort(byDigest) }),
    triggers: definition.triggers.map(ofTrigger),
    ...(lifecycle && { lifecycle: lifecycle.map(ofHook).sort(byEvent) }),
    nodes: definition.nodes.map(ofNode).sort(byId),
    edges: definition.edges.toSorted(byEdge),
  };
}

function ofNode(node: Node): Node {
  switch (node.kind) {
    case "step":
      return ofStep(node);
    case "join":
      return { ...node, branches: node.branches.toSorted(byText) };
    case "approval":
      return node.notices ? { ...node, notices: node.notices.map(ofNotice) } : node;
    case "for-each":
      return ofLoop(node);
    default:
      return node;
  }
}

const ofLoop = (node: ForEachNode): ForEachNode => ({
  ...node,
  body: { nodes: node.body.nodes.map(ofBodyNode).sort(byId), edges: node.body.edges.toSorted(byEdge) },
});
const ofBodyNode = (node: BodyNode): BodyNode => (node.kind === "step" ? ofStep(node) : node);

const ofStep = (node: StepNode): StepNode => ({
  ...contracted(node),
  script: ofScript(node.script),
  ...(node.reusable && { reusable: ofReusable(node.reusable) }),
});

function ofScript(script: Script): Script {
  const { calls, secrets, modules } = script;
  return {
    ...script,
    ...(calls && { calls: calls.toSorted(byText) }),
    ...(secrets && { secrets: secrets.toSorted(byText) }),
    ...(modules && { modules: modules.toSorted(byAlias) }),
  };
}

function ofReusable(reusable: Reusable): Reusable {
  const { props, onSuccess, onError, onComplete, ...rest } = contracted(reusable);
  return {
    ...rest,
    props: props.toSorted(byName),
    ...(onSuccess && { onSuccess: onSuccess.map(ofScript) }),
    ...(onError && { onError: onError.map(ofScript) }),
    ...(onComplete && { onComplete: onComplete.map(ofScript) }),
  };
}

/** Without the number of the first contract: definitions that were made before there was one keep their text. */
function contracted<T extends { readonly contract?: number }>(part: T): T {
  if (part.contract !== 1) return part;
  const { contract: _, ...rest } = part;
  return rest as T;
}

const ofNotice = (notice: Notice): Notice =>
  notice.provider === "custom" ? { ...notice, script: ofScript(notice.script), reusable: ofReusable(notice.reusable) } : notice;

const ofHook = (hook: Hook): Hook => ({
  ...hook,
  ...(hook.steps && { steps: hook.steps.toSorted(byText) }),
  actions: hook.actions
    .map(contracted)
    .map((action) =>
      action.kind === "script" ? { ...action, script: ofScript(action.script) } : { ...action, notices: action.notices.map(ofNotice) },
    ),
});

function ofTrigger(trigger: Trigger): Trigger {
  switch (trigger.kind) {
    case "telegram":
    case "whatsapp":
      return { ...trigger, events: trigger.events.toSorted(byText) };
    case "slack":
    case "discord":
      return {
        ...trigger,
        events: trigger.events.toSorted(byText),
        ...(trigger.channels && { channels: trigger.channels.toSorted(byText) }),
      };
    default:
      return trigger;
  }
}
