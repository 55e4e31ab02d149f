import { BOUNDS } from "./bounds.ts";
import type { Dispatch, Fence, Found, Named, Performed, Release } from "./door.ts";

export const ABSENT = { status: "refused", reason: "unavailable", message: "No plugin host is there." } as const;
export const GONE = { status: "gone" } as const;
export const OUT_OF_REACH = { status: "out_of_reach" } as const;
export const LOST: Performed = {
  status: "ambiguous",
  code: "WOML_PLUGIN_HOST_LOST",
  message: "The plugin host went away while it had the operation.",
};

/** How a door finds releases. */
export interface ReachOptions {
  /** Null: it is not stored. Rejects when that cannot be told now. */
  readonly release: (digest: string) => Promise<Release | null>;
  /** PostgreSQL's time, never ahead of it; null while it is not known. The door learns it too from what it is asked. */
  readonly now?: () => number | null;
}

/** What is asked anew after the line broke: that the host does not know it, or does not say, proves nothing. */
export const afterLoss = (found: Performed | null): Performed => (found === null || found.status === "refused" ? LOST : found);

export function invalid(complaint: string): Extract<Performed, { status: "failed" }> {
  return {
    ...{ status: "failed", code: "WOML_PLUGIN_DISPATCH_INVALID", retryable: false },
    message: `The dispatch ${complaint}.`.slice(0, BOUNDS.messageChars),
    evidence: "It was not sent to the plugin host.",
  };
}
export const notAsked = (complaint: string): Found => ({ status: "unknown", message: invalid(complaint).message });

export const named = ({ tenant, run, attempt, key, try: nth }: Named): Named => ({ tenant, run, attempt, key, try: nth });
/** A frame takes no field more than it has. */
export function only(ask: Fence & Named): Fence & Named {
  const { engine, epoch, now, notAfter } = ask;
  return { ...named(ask), engine, epoch, now, notAfter };
}
export function bare<T extends Dispatch>({ host: _, ...dispatch }: T & { readonly host?: string }): Omit<T, "host"> {
  return dispatch;
}
export const same = (one: Named, other: Named): boolean =>
  one.tenant === other.tenant && one.run === other.run && one.attempt === other.attempt && one.key === other.key && one.try === other.try;
