import { handleOf } from "@woml/capability";
import { canonical, utf8Bytes } from "@woml/model";
import {
  asRunId,
  type Failure,
  isAction,
  NOTICE_DELAYS_MS,
  type RunId,
  type RunKey,
  type RunState,
  showRunId,
  type Task,
  taskAt,
} from "@woml/run";
import type { Invocation } from "@woml/sandbox";
import { CALL_PARK_MS, CONTEXT_BYTES, SCRIPT_LIMITS } from "../bounds.ts";
import type { Prepared } from "../definitions.ts";
import type { World } from "../engine.ts";
import { type Bindings, bindingsOf, secretsOf } from "./binding.ts";
import { type Caller, standing } from "./identity.ts";
import { journalOf, operationsOf } from "./journal.ts";

/** What is sent for one attempt of a step, of an action of a hook, or of a notice. */
export interface Script {
  readonly key: RunKey;
  readonly prepared: Prepared;
  readonly state: RunState;
  /** Its site. */
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
  const task = taskAt(prepared.graph, node);
  const caller = callerOf(world, script);
  const key = idempotencyKey(world, script, task);
  const bindings = bindingsOf({ graph: prepared.graph, state, task, caller, idempotencyKey: key });
  if ("code" in bindings) return bindings;
  const size = sizeOf(bindings);
  if (size > CONTEXT_BYTES) return tooLarge(node, size);
  const { source, calls } = task.script;
  return {
    tenant: script.key.tenant,
    script: { digest: prepared.digest(node, source), text: source, ...prepared.place(node) },
    ...bindings,
    attempt: JSON.stringify({ number: attempt, maxAttempts: attemptsOf(task), idempotencyKey: key }),
    limits: SCRIPT_LIMITS,
    startedAt: state.steps.get(node)?.since ?? state.at,
    chance: chanceOf(world, script),
    ...(calls
      ? { operations: calls, parkAfterMs: parking(calls, parkAfterMs), journal: journalOf(operationsOf(state, node, attempt)) }
      : {}),
    ...(caller.secrets.length > 0 ? { secrets: handlesOf(caller.tag, caller.secrets) } : {}),
  };
}

/** What waits for another run gives its place to others soon. */
function parking(calls: readonly string[], parkAfterMs: number): number {
  return calls.includes(WAITING_CALL) ? Math.min(CALL_PARK_MS, parkAfterMs) : parkAfterMs;
}
const WAITING_CALL = "workflows.call";

/** Whose calls those of this script are. Most neither hold a handle nor make a call: the tag is derived when it is asked for. */
export function callerOf(world: Pick<World, "derive">, script: Script): Caller {
  const { prepared, state, node, attempt } = script;
  const task = taskAt(prepared.graph, node);
  const uses = prepared.graph.definition.uses ?? [];
  let tag: string | null = null;
  return {
    ...{ origin: originOf(script), version: state.admitted?.version ?? "", task, secrets: secretsOf(task), uses },
    get tag() {
      tag ??= world.derive(seedOf(state), `secrets ${node} - ${attempt}`).slice(0, 32);
      return tag;
    },
  };
}

/** The run that keys name: of steps the first of a chain of resumed ones; what observes is of its own run, and tells anew of that. */
function originOf({ key, state, node }: Script): RunId {
  const origin = state.admitted?.origin;
  return origin === undefined || isAction(node) ? key.run : asRunId(origin);
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

function attemptsOf({ role, retry }: Task): number {
  return role === "notice" ? NOTICE_DELAYS_MS.length + 1 : (retry?.maxAttempts ?? 1);
}

/** Equal over all attempts of a step in its iteration, of an action, or of a notice. */
function idempotencyKey(world: Pick<World, "digest">, script: Script, task: Task): string {
  const { node, iteration } = standing(task);
  const identity = {
    contract: "woml.step-effect",
    version: 1,
    runId: showRunId(originOf(script)),
    definitionHash: script.state.admitted?.version ?? "",
    nodeId: node,
    ...(iteration === null ? {} : { iteration }),
  };
  return world.digest(canonical(identity));
}

function sizeOf(bindings: Bindings): number {
  return Object.values(bindings).reduce((sum, text) => sum + utf8Bytes(text), 0);
}

function tooLarge(node: string, size: number): Failure {
  const message = `What this script is given has ${size} bytes, more than ${CONTEXT_BYTES}.`;
  return { code: "WOML_SCRIPT_CONTEXT_TOO_LARGE", kind: "context_too_large", message, step: node };
}
