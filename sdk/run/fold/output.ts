import type { Json } from "@woml/model";
import { utf8Bytes } from "@woml/model/laws";
import type { RunState } from "../state.ts";
import { demand } from "./demand.ts";

/** F9: with the output of `site`. */
export function withOutput(state: RunState, site: string, output: Json): RunState {
  demand(state, "WOML_LOG_OUTPUT", !state.outputs.has(site));
  return { ...state, outputs: state.outputs.with(site, output), outputBytes: published(state, output) };
}

/** Bytes of all outputs, with one more. */
export const published = (state: RunState, output: Json): number => state.outputBytes + utf8Bytes(JSON.stringify(output));
