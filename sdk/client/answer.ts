import type { RunStatus } from "@woml/run";
import type { Page } from "./types.ts";

/** A connection as GraphQL gives it. */
export interface Edges<T> {
  readonly edges: readonly { readonly node: T }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export function connection<T>(found: Edges<T>): Page<T> {
  return { items: found.edges.map((edge) => edge.node), ...found.pageInfo };
}

/** The enum's words are in capitals at the API and in lower case in every view. */
export function lowered<T extends { readonly status: RunStatus }>(run: T): T {
  return { ...run, status: run.status.toLowerCase() };
}
