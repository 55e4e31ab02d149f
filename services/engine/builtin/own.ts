import { type ChildStart, keeping, type NewDelivery, type Own } from "@woml/prisma";
import { asRunId, type NewEvent, type RunId, type RunState } from "@woml/run";
import type { CallOperation } from "../decide/command.ts";
import type { Asked } from "../judge.ts";
import type { Audience } from "./events.ts";
import type { CallInput, EmitInput } from "./input.ts";
import { performState } from "./state.ts";
import { lineageOf } from "./workflows.ts";

/** What the append of these events changes besides (B2): `state` is what they were decided on, `run` whose they are. */
export function ownOf(run: RunId, state: RunState, { command }: Asked, events: readonly NewEvent[]): Own {
  if (command.kind !== "call_operation" || !("called" in command.asked) || command.asked.drawn === undefined) return {};
  const { called, drawn } = command.asked;
  if (!wasPerformed(command, events)) return {};
  if (drawn.of === "state") {
    const performed = performState(called, drawn.entry);
    return "write" in performed && performed.write !== undefined ? { write: performed.write } : {};
  }
  if (drawn.of === "events") return heardOf(state, command, drawn);
  return drawn.stored === null && called.child !== undefined ? { starts: [startOf(run, state, command, drawn.digest)] } : {};
}

/** The run that waits for this one, when these events end it. */
export function tellsOf({ admitted, ended }: RunState, before: RunState): Own {
  const isAwaited = admitted?.parent?.isAwaited === true;
  return isAwaited && ended !== null && before.ended === null ? { tells: asRunId(admitted.parent?.run ?? "") } : {};
}

/** It was started, not answered from an earlier attempt, and has not failed at once. */
export function wasPerformed({ node, attempt, call }: Omit<CallOperation, "now">, events: readonly NewEvent[]): boolean {
  const isIt = (data: { readonly node: string; readonly attempt: number; readonly call: number }): boolean =>
    data.node === node && data.attempt === attempt && data.call === call;
  const isStarted = events.some(({ type, data }) => type === "operation_started" && isIt(data) && data.reused === null);
  const isRefused = events.some(({ type, data }) => type === "operation_settled" && isIt(data) && data.outcome.status !== "succeeded");
  return isStarted && !isRefused;
}

/** What a signal starts, and what is written down of each that listens. */
function heardOf(state: RunState, command: Omit<CallOperation, "now">, audience: Audience): Own {
  const starts = signalled(state, command, audience);
  const deliveries = deliveriesOf(command, audience);
  return { ...(starts.length > 0 ? { starts } : {}), ...(deliveries.length > 0 ? { deliveries } : {}) };
}

function deliveriesOf({ asked }: Omit<CallOperation, "now">, { id, heard }: Audience): readonly NewDelivery[] {
  const { called } = asked as Extract<typeof asked, { readonly called: unknown }>;
  const keep = keeping((called.input as unknown as EmitInput).payload);
  return heard.map(({ listener: { workflow, trigger }, deaf, run, delivery }) => {
    const of = { id: delivery, workflow, trigger, kind: "signal", source: id } as const;
    if (deaf === null) return { ...of, outcome: "accepted", run };
    return { ...of, outcome: "rejected", code: deaf.code, detail: { message: deaf.message }, ...keep() };
  });
}

/** The runs that a signal starts. */
function signalled(state: RunState, { asked }: Omit<CallOperation, "now">, { id, heard }: Audience): readonly ChildStart[] {
  const { called } = asked as Extract<typeof asked, { readonly called: unknown }>;
  const { signal: name, payload } = called.input as unknown as EmitInput;
  const { onAmbiguous, trace } = state.admitted ?? {};
  const signal = { id, name, lineage: lineageOf(state) };
  const settings = { ...(onAmbiguous === undefined ? {} : { onAmbiguous }), ...(trace === undefined ? {} : { trace }) };
  return heard.flatMap(({ listener: { workflow, trigger, version }, deaf, run }) => {
    if (deaf !== null) return [];
    const asks = { kind: "start", workflow, version, trigger: { kind: "signal", id: trigger }, payload, labels: [] } as const;
    // What is asked is told apart by the key already: the call has but one payload.
    return [
      {
        run,
        scope: `trigger:${workflow}:${trigger}`,
        key: `internal:v1:${id}`,
        digest: called.inputDigest,
        body: { ...asks, ...settings, signal },
      },
    ];
  });
}

function startOf(run: RunId, state: RunState, { node, attempt, call, key, asked }: Omit<CallOperation, "now">, digest: string): ChildStart {
  const { called } = asked as Extract<typeof asked, { readonly called: unknown }>;
  const { id, payload } = called.input as unknown as CallInput;
  const { onAmbiguous, trace } = state.admitted ?? {};
  const child = called.child ?? { run: "", version: "" };
  const isAwaited = called.operation === "call";
  return {
    ...{ run: asRunId(child.run), scope: `call:${id}`, key: `${key} ${child.run}`, digest },
    body: {
      ...{ kind: "start", workflow: id, version: child.version, trigger: { kind: "call", id: called.operation }, payload, labels: [] },
      ...(onAmbiguous === undefined ? {} : { onAmbiguous }),
      ...(trace === undefined ? {} : { trace }),
      parent: { run, node, attempt, call, lineage: lineageOf(state), isAwaited },
    },
  };
}
