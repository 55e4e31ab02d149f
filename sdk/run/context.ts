import type { Graph } from "@woml/model";
import { hookFrom, iterationOf, valueFor } from "./binding.ts";
import { indexAt, nodeAt, siteIn } from "./site.ts";
import type { RunState } from "./state.ts";
import { type Task, taskAt } from "./task.ts";

/** Texts of payloads and outputs, by the object of the state that stands for them: each is written once, however many steps read it. */
const texts = new WeakMap<object, string>();

/**
 * What the script at `site` sees, as JSON text: `{"payload", "trigger", "steps": {id: output}}`, trigger being an older word for payload, and
 * in a loop `"item"` and `"iteration"`. Only what the script needs is in it, and of that only what has surely completed before the node;
 * what observes sees all outputs that were there when it was asked to, of loops what they came to, and of the iteration that it is about.
 */
export function contextText(graph: Graph, state: RunState, site: string): string {
  const task = taskAt(graph, site);
  const { needs } = task.script;
  const around = iterationOf(graph, task);
  const outputs = task.role === "step" ? outputsFor(graph, state, task) : outputsOfHook(graph, state, task);
  const steps = `"steps":{${outputs.join(",")}}${around === null ? "" : iterationText(graph, state, task)}`;
  if (needs?.payload === false) return `{${steps}}`;
  const payload = payloadText(state);
  return `{"payload":${payload},"trigger":${payload},${steps}}`;
}

function outputsFor(graph: Graph, state: RunState, { site, script }: Task): readonly string[] {
  const index = indexAt(site);
  const id = nodeAt(site);
  const flow = index === null ? graph : graph.body(graph.loopOf(id) ?? "");
  const ids = script.needs ? script.needs.steps.filter((output) => flow.sees(id, output)) : flow.visible(id);
  return ids.map((output) => outputText(state, output, flow.has(output) ? siteIn(output, index) : output));
}

function outputsOfHook(graph: Graph, state: RunState, task: Task): readonly string[] {
  const outputs = hookFrom(state, task.site)?.outputs;
  const { index = null, loop = null } = iterationOf(graph, task) ?? {};
  const body = loop === null ? null : graph.body(loop);
  const isSeen = (site: string): boolean => indexAt(site) === null || (indexAt(site) === index && body?.has(nodeAt(site)) === true);
  const all = (): string[] => [...(outputs?.entries() ?? [])].flatMap(([site]) => (isSeen(site) ? nodeAt(site) : []));
  const ids = task.script.needs?.steps ?? all().sort();
  return ids.flatMap((id) => {
    const output = outputs?.get(body?.has(id) ? siteIn(id, index) : id);
    return output === undefined ? [] : `${JSON.stringify(id)}:${JSON.stringify(output)}`;
  });
}

/** `item` and `iteration` are always given inside a loop. */
function iterationText(graph: Graph, state: RunState, task: Task): string {
  const item = valueFor(graph, state, task, ["item"]) ?? null;
  const iteration = valueFor(graph, state, task, ["iteration"]) ?? null;
  return `,"item":${JSON.stringify(item)},"iteration":${JSON.stringify(iteration)}`;
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
