import type { Graph, Json } from "@woml/model";
import { hookAt, indexAt, isAction, nodeAt, siteIn } from "./site.ts";
import type { RunState } from "./state.ts";
import { type Task, taskAt } from "./task.ts";
import { lookUp } from "./value.ts";

/** Texts of payloads and outputs, by the object of the state that stands for them: each is written once, however many steps read it. */
const texts = new WeakMap<object, string>();

/**
 * What the script at `site` sees, as JSON text: `{"payload", "trigger", "steps": {id: output}}`, trigger being an older word for payload, and
 * in a loop `"item"` and `"iteration"`. Only what the script needs is in it, and of that only what has surely completed before the node;
 * what observes sees all outputs that were there when it was asked to.
 */
export function contextText(graph: Graph, state: RunState, site: string): string {
  const task = taskAt(graph, site);
  const { needs } = task.script;
  const outputs = task.role === "step" ? outputsFor(graph, state, task) : outputsOfHook(state, task);
  const steps = `"steps":{${outputs.join(",")}}`;
  const around = task.role === "step" ? iterationText(graph, state, site) : "";
  if (needs?.payload === false) return `{${steps}${around}}`;
  const payload = payloadText(state);
  return `{"payload":${payload},"trigger":${payload},${steps}${around}}`;
}

function outputsFor(graph: Graph, state: RunState, { site, script }: Task): readonly string[] {
  const index = indexAt(site);
  const id = nodeAt(site);
  const flow = index === null ? graph : graph.body(graph.loopOf(id) ?? "");
  const ids = script.needs ? script.needs.steps.filter((output) => flow.sees(id, output)) : flow.visible(id);
  return ids.map((output) => outputText(state, output, flow.has(output) ? siteIn(output, index) : output));
}

/** Of loops it sees what they came to, and nothing inside. */
function outputsOfHook(state: RunState, { event, subject, script }: Task): readonly string[] {
  const hook = state.hooks.get(hookAt(event ?? "", subject));
  const isSeen = (site: string): boolean => indexAt(site) === null && script.needs?.steps.includes(site) !== false;
  const seen = [...(hook?.outputs.entries() ?? [])].filter(([site]) => isSeen(site));
  return seen.sort(([a], [b]) => (a < b ? -1 : 1)).map(([site, output]) => `${JSON.stringify(site)}:${JSON.stringify(output)}`);
}

/** `item` and `iteration` are always given inside a loop. */
function iterationText(graph: Graph, state: RunState, site: string): string {
  const index = indexAt(site);
  const loop = index === null || isAction(site) ? null : graph.loopOf(nodeAt(site));
  const node = loop === null ? null : graph.node(loop);
  if (index === null || node?.kind !== "for-each") return "";
  const items = lookUp(graph, state, { reference: node.items, index: null });
  const total = state.loops.get(node.id)?.total ?? 0;
  const item: Json = Array.isArray(items) ? (items[index] ?? null) : null;
  return `,"item":${JSON.stringify(item)},"iteration":{"index":${index},"total":${total}}`;
}

function payloadText({ admitted }: RunState): string {
  if (admitted === null) throw new Error("a run that is not admitted has no context");
  return once(admitted, () => JSON.stringify(admitted.payload));
}

function outputText(state: RunState, id: string, site: string): string {
  const output = state.outputs.get(site);
  const owner = state.steps.get(site) ?? state.choices.get(site) ?? state.loops.get(site) ?? state.approvals.get(site);
  if (output === undefined) throw new Error(`${id} is visible, but has no output`);
  const write = (): string => `${JSON.stringify(id)}:${JSON.stringify(output)}`;
  return owner === undefined ? write() : once(owner, write);
}

function once(owner: object, write: () => string): string {
  const text = texts.get(owner) ?? write();
  texts.set(owner, text);
  return text;
}
