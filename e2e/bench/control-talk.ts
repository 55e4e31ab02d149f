import type { RunId } from "@woml/run";

/** So many runs of a version are asked for at once. */
export interface ToControl {
  readonly ask: number;
  readonly tenant: string;
  readonly workflow: string;
  readonly version: string;
  readonly runs: number;
}
/** That something was stored; that all that was asked for is, or why it is not. */
export type FromControl =
  | { readonly said: "ring" }
  | { readonly said: "asked"; readonly ask: number; readonly runs: readonly RunId[] }
  | { readonly said: "failed"; readonly ask: number; readonly reason: string };
