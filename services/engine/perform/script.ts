import { handleOf } from "@woml/capability";
import { canonical, type StepNode } from "@woml/model";
import { contextText, type Failure, type RunKey, type RunState, showRunId } from "@woml/run";
import type { Invocation } from "@woml/sandbox";
import { CONTEXT_BYTES, SCRIPT_LIMITS } from "../bounds.ts";
import type { Prepared } from "../definitions.ts";
import type { World } from "../engine.ts";
import type { Caller } from "./identity.ts";
import { journalOf, operationsOf } from "./journal.ts";

/** What is sent for one attempt of a step. */
export interface Script {
  readonly key: RunKey;
  readonly prepared: Prepared;
  readonly state: RunState;
  readonly node: string;
  readonly attempt: number;
}
export type Frame = Omit<Invocation, "invocation">;
type Means = { readonly world: Pick<World, "digest" | "derive">; readonly parkAfterMs: number };

/**
 * The frame of an attempt, or why none can be sent. The context is that of the attempt's start: what a step can see had completed before
 * it, so later outputs of the state change nothing. Costs what the context costs, whatever the run has behind it.
 */
export function scriptFrame({ world, parkAfterMs }: Means, script: Script): Frame | Failure {
  const { prepared, state, node, attempt } = script;
  const step = stepOf(prepared, node);
  const context = contextText(prepared.graph, state, node);
  const size = new TextEncoder().encode(context).byteLength;
  if (size > CONTEXT_BYTES) return tooLarge(node, size);
  return {
    tenant: script.key.tenant,
    script: { digest: prepared.digest(node, step.script.source), text: step.script.source, ...prepared.place(node) },
    context,
    attempt: attemptText(world, script, step),
    limits: SCRIPT_LIMITS,
    startedAt: state.steps.get(node)?.since ?? state.at,
    chance: chanceOf(world, script),
    ...(step.script.calls ? { operations: step.script.calls, parkAfterMs, journal: journalOf(operationsOf(state, node, attempt)) } : {}),
    ...(step.script.secrets ? { secrets: handlesOf(callerOf(world, script).tag, step.script.secrets) } : {}),
  };
}

/** Whose calls those of this script are. */
export function callerOf(world: Pick<World, "derive">, script: Script): Caller {
  const { key, prepared, state, node, attempt } = script;
  const tag = world.derive(seedOf(state), `secrets ${node} - ${attempt}`).slice(0, 32);
  const uses = prepared.graph.definition.uses ?? [];
  return { key, version: state.admitted?.version ?? "", step: stepOf(prepared, node), uses, tag };
}

/** The same in every replay; identifiers that a script draws are the same in its next attempts too. */
function chanceOf(world: Pick<World, "derive">, { state, node, attempt }: Script): Frame["chance"] {
  const seed = seedOf(state);
  return { math: world.derive(seed, `math ${node} - ${attempt}`), crypto: world.derive(seed, `crypto ${node} -`) };
}

function handlesOf(tag: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, handleOf(tag, name)]));
}

function seedOf({ admitted }: RunState): string {
  if (admitted === null) throw new Error("a run that is not admitted has no seed");
  return admitted.seed;
}

/** What a script reads as `attempt`. The key is equal over all attempts of a step in a run. */
function attemptText(world: Pick<World, "digest">, script: Script, step: StepNode): string {
  const identity = {
    contract: "woml.step-effect",
    version: 1,
    runId: showRunId(script.key.run),
    definitionHash: script.state.admitted?.version ?? "",
    nodeId: script.node,
  };
  return JSON.stringify({
    number: script.attempt,
    maxAttempts: step.retry?.maxAttempts ?? 1,
    idempotencyKey: world.digest(canonical(identity)),
  });
}

function tooLarge(node: string, size: number): Failure {
  const message = `The context of this step has ${size} bytes, more than ${CONTEXT_BYTES}.`;
  return { code: "WOML_SCRIPT_CONTEXT_TOO_LARGE", kind: "context_too_large", message, step: node };
}

function stepOf(prepared: Prepared, id: string): StepNode {
  const node = prepared.graph.node(id);
  if (node.kind !== "step") throw new Error(`due named ${id}, which is no step`);
  return node;
}
