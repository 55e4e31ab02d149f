import type { Page } from "../control-store.ts";

/** One row more than asked says whether there are more. */
export function cut<T>(rows: readonly T[], first: number): Page<T> {
  return { items: rows.slice(0, first), hasNext: rows.length > first };
}
