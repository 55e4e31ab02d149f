import type { Stage } from "./stage.ts";

export interface Extra {
  readonly name: string;
  /** Answers what was seen; rejects where it is not as the rules have it. */
  readonly run: (stage: Stage) => Promise<string>;
}
export const EXTRAS: readonly Extra[] = [];
