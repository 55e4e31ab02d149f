import type { RunView } from "@woml/run";
import type { Field } from "./field.ts";
import * as queries from "./queries.ts";

type Json = RunView["payload"];

/** `id`: what a second one of it is told by; without one each is one of its own. */
export interface EmitSignalInput {
  readonly name: string;
  readonly payload?: Json;
  readonly id?: string;
}
/** What one trigger made of a signal. `run` is the id of the run that it started, or that an earlier one had. */
export interface SignalDelivery {
  readonly workflow: string;
  readonly trigger: string;
  readonly status: "accepted" | "duplicate" | "rejected";
  readonly run: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}
export interface EmittedSignal {
  readonly id: string;
  readonly name: string;
  readonly status: "accepted" | "partial" | "rejected";
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
  readonly deliveries: readonly SignalDelivery[];
}
export interface SignalsClient {
  /** Starts a run of each workflow that listens to it; nobody has to. */
  emitSignal(input: EmitSignalInput): Promise<EmittedSignal>;
}

export function openSignals(field: Field): SignalsClient {
  return { emitSignal: async (input) => field<EmittedSignal>("emitSignal", queries.EMIT_SIGNAL, { input }) };
}
