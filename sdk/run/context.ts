import type { Graph, StepNode } from "@woml/model";
import type { RunState } from "./state.ts";

/** Texts of payloads and outputs, by the object of the state that stands for them: each is written once, however many steps read it. */
const texts = new WeakMap<object, string>();

/**
 * What the script of `node` sees, as JSON text: `{"payload", "trigger", "steps": {id: output}}`, trigger being an older word for payload.
 * Only what the script needs is in it, and of that only what has surely completed before the node.
 */
export function contextText(graph: Graph, state: RunState, node: string): string {
  const { needs } = stepOf(graph, node).script;
  const ids = needs ? needs.steps.filter((id) => graph.sees(node, id)) : graph.visible(node);
  const steps = `"steps":{${ids.map((id) => outputText(state, id)).join(",")}}`;
  if (needs?.payload === false) return `{${steps}}`;
  const payload = payloadText(state);
  return `{"payload":${payload},"trigger":${payload},${steps}}`;
}

function payloadText({ admitted }: RunState): string {
  if (admitted === null) throw new Error("a run that is not admitted has no context");
  return once(admitted, () => JSON.stringify(admitted.payload));
}

function outputText(state: RunState, id: string): string {
  const output = state.outputs.get(id);
  const owner = state.steps.get(id) ?? state.choices.get(id);
  if (output === undefined || owner === undefined) throw new Error(`${id} is visible, but has no output`);
  return once(owner, () => `${JSON.stringify(id)}:${JSON.stringify(output)}`);
}

function once(owner: object, write: () => string): string {
  const text = texts.get(owner) ?? write();
  texts.set(owner, text);
  return text;
}

function stepOf(graph: Graph, id: string): StepNode {
  const node = graph.node(id);
  if (node.kind !== "step") throw new Error(`${id} runs no script`);
  return node;
}
