/** A release as it is stored: both texts are checked against the digests before each start of a process. */
export interface Release {
  /** `sha256:` and hex, over the canonical JSON of `{"artefact": …, "manifest": …}`, the two digests. */
  readonly digest: string;
  /** Canonical JSON of the manifest. */
  readonly manifest: string;
  /** One bundled ES module. */
  readonly artefact: Uint8Array;
}
/** Who asks, for the fence: anything past `notAfter`, or of a lower epoch than was seen for the run, is refused. Times are PostgreSQL's, ms. */
export interface Fence {
  readonly engine: string;
  readonly run: string;
  readonly epoch: number;
  readonly now: number;
  readonly notAfter: number;
}
/** The host that a dispatch was, or is to be, given to, by the id in its hello. Absent: there is but one. */
export interface At {
  readonly host?: string;
}
/**
 * The host is not there, and nothing was handed over by this call: not (`perform`; also where it ended in order before it took it), or not
 * found out (`attach`). It may be dead, or alive and out of reach; one that comes back under the same id is the same process.
 */
export type Gone = { readonly status: "gone" };
/** Which dispatch: tries count from 1 in each attempt, and a resumed run has the keys of the run it goes on from, so all five are needed. */
export interface Named {
  readonly tenant: string;
  readonly run: string;
  readonly attempt: number;
  readonly key: string;
  readonly try: number;
}
/** One try of one operation. */
export interface Dispatch extends Fence, Named {
  readonly release: string;
  readonly operation: string;
  readonly effect: "pure" | "keyed" | "reattachable" | "unsafe";
  /** As it is stored, `{"$secret": …}` for handles. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Values by name: of the handles in the input, and of what the manifest's permissions name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** W3C `traceparent` that the host's span follows from. Not part of what a dispatch is. */
  readonly trace?: string;
}
/** What became of a dispatch. */
export type Performed =
  | { readonly status: "succeeded"; readonly result: string; readonly evidence: string }
  /** Nothing was done, or the provider answered no. */
  | { readonly status: "failed"; readonly code: string; readonly message: string; readonly retryable: boolean; readonly evidence: string }
  /** A byte of a request may have left, and no whole answer came. */
  | { readonly status: "ambiguous"; readonly code: string; readonly message: string }
  /** Not accepted, nothing was done: `late` and `fenced` mean the asker; `overloaded` and `unavailable` may be asked again after a while. */
  | { readonly status: "refused"; readonly reason: "late" | "fenced" | "overloaded" | "unavailable"; readonly message: string };
/** The host was given the dispatch, the line to it broke, and it did not come back for a while: it may be performing it still. */
export type OutOfReach = { readonly status: "out_of_reach" };
/** What a provider says of an operation; `result` is JSON text that fits the schema. */
export type Found =
  | { readonly status: "succeeded"; readonly result: string }
  | { readonly status: "failed"; readonly code: string; readonly message: string }
  | { readonly status: "pending"; readonly askAgainMs: number }
  | { readonly status: "not_found" }
  | { readonly status: "unknown"; readonly message: string }
  | { readonly status: "refused"; readonly reason: "late" | "fenced" | "overloaded" | "unavailable"; readonly message: string };

/**
 * The engine's side of the plugin host. Every promise resolves.
 * 1. A dispatch is performed at most once: a second `perform` of it joins the first, and none is ever sent again on another connection.
 * 2. `perform` answers `refused` only where nothing was done. Without a host that is `unavailable`, at once; so is what a host that ends in
 *    order has not taken. Of several, `gone` says the same of the one that was named: it is sent to no other, and never later.
 * 3. When the connection breaks under a `perform`, the door asks for it again: where there is but one host, whichever is there next (not known
 *    there: `ambiguous`); where there are several, the same process when it is back, and if that takes too long the answer is `out_of_reach`.
 *    A pure one is `refused`, `unavailable`, at once: to perform it again costs nothing.
 * 4. `attach` without `host` waits until a host has answered, however long that takes: null comes from a host, never from the lack of one. With
 *    `host` it answers `gone` while that process is not connected.
 * 5. After `close`, what is pending is `ambiguous`: whoever closes does not write that down.
 */
export interface PluginHost {
  /** The host that a new dispatch for this tenant and release should go to, by its id. Null: none is there. Undefined: there is but one. */
  choose(tenant: string, release: string): string | null | undefined;
  perform(dispatch: Dispatch & At): Promise<Performed | Gone | OutOfReach>;
  /**
   * Joins a dispatch that this host still knows: it runs, or its result is kept for 15 minutes (pure: only while it runs). Raises the run's
   * epoch first, so that after null ("not known") nothing older is accepted any more; the dispatch asked for will not be, either. `refused`
   * says nothing about the dispatch: `fenced` means the asker; `unavailable`, that the door was closed. Never `late` or `overloaded`.
   */
  attach(ask: Fence & Named & At): Promise<Performed | Gone | null>;
  /** Asks the provider; only reads. `try` is the dispatch that is in doubt. */
  reattach(dispatch: Dispatch): Promise<Found>;
  /** The answer is not wanted any more: the plugin is told, and what it says still counts. */
  cancel(ask: Named & At): void;
  close(): Promise<void>;
}
