import type { OperationState, RunState } from "./state.ts";

/**
 * When something was first dispatched under `key`, by attempts of this run or by earlier runs that had the same keys. A provider that de-duplicates by
 * the key may count from there, whatever it answered then. undefined: nothing was that has a window.
 */
export function windowFrom({ byKey, operations, windows }: RunState, key: string): number | undefined {
  const own = (byKey.get(key) ?? []).flatMap((id) => dispatchedFrom(operations.get(id)) ?? []);
  const earlier = windows.get(key);
  const all = earlier === undefined ? own : [...own, earlier.windowFrom];
  return all.length === 0 ? undefined : Math.min(...all);
}

/** null: its provider keeps no key, or it was answered from an earlier one. */
export function dispatchedFrom(operation: OperationState | undefined): number | null {
  if (operation?.called?.effect.windowMs == null || operation.reused !== null) return null;
  return operation.windowFrom;
}
