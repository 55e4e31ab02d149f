import type { Page, PageAsk } from "@woml/prisma";
import { type List, readCursor, showCursor } from "./cursor.ts";
import { ApiError } from "./errors.ts";

export const FIRST_DEFAULT = 20;
export const FIRST_MAX = 100;

/** The two arguments of every connection. An explicit null is the same as none. */
export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}
export interface Connection<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export function pageAsk(list: List, { first, after }: PageArguments): PageAsk {
  return { first: firstOf({ first }), after: readCursor(list, after) };
}

/** How many of a list are wanted. */
export function firstOf({ first }: { readonly first?: number | null | undefined }): number {
  const size = first ?? FIRST_DEFAULT;
  if (size >= 1 && size <= FIRST_MAX) return size;
  throw new ApiError("WOML_PAGE_SIZE_INVALID", `\`first\` is ${size}: it has to be 1 to ${FIRST_MAX}`, { limit: FIRST_MAX, actual: size });
}

/** `keyOf` names the row for the list's cursor. */
export function connection<T>(list: List, page: Page<T>, keyOf: (item: T) => string): Connection<T> {
  const edges = page.items.map((node) => ({ cursor: showCursor(list, keyOf(node)), node }));
  return { edges, pageInfo: { hasNextPage: page.hasNext, endCursor: edges.at(-1)?.cursor ?? null } };
}
