import type { Cost } from "./cost.ts";
import { made } from "./made.ts";
import { type Fault, judge } from "./verdict.ts";

export interface Failed {
  readonly at: number;
  readonly kind: Fault;
  readonly why: string;
}
interface Slowest {
  readonly at: number;
  readonly cost: Cost;
}
export interface Tally {
  readonly documents: number;
  readonly valid: number;
  readonly codes: ReadonlySet<string>;
  readonly failed: readonly Failed[];
  /** Of all documents the one that took most of what it may take. */
  readonly slowest: Slowest | null;
}

/** Makes and judges the documents of a seed, from 1; each is told to `onFailed` when it fails. */
export function tally(seed: number, runs: number, onFailed?: (failed: Failed) => void): Tally {
  let valid = 0;
  let slowest: Slowest | null = null;
  const codes = new Set<string>();
  const failed: Failed[] = [];
  for (let at = 1; at <= runs; at++) {
    const verdict = judge(made(seed, at));
    if (verdict.isValid) valid += 1;
    for (const code of verdict.codes) codes.add(code);
    if (slowest === null || verdict.cost.share > slowest.cost.share) slowest = { at, cost: verdict.cost };
    if (!verdict.fault) continue;
    const one = { at, ...verdict.fault };
    failed.push(one);
    onFailed?.(one);
  }
  return { documents: runs, valid, codes, failed, slowest };
}
