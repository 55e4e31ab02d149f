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
 * 2. `perform` answers `refused` only where nothing was done. Without a host that is `unavailable`, at once.
 * 3. When the connection breaks under a `perform`, the door asks the next host for it. Known there: what it says. Not known: `ambiguous`.
 *    A pure one is `refused`, `unavailable`, at once: to perform it again costs nothing.
 * 4. `attach` waits until a host has answered, however long that takes: null comes from a host, never from the lack of one.
 * 5. After `close`, what is pending is `ambiguous`: whoever closes does not write that down.
 */
export interface PluginHost {
  perform(dispatch: Dispatch): Promise<Performed>;
  /**
   * Joins a dispatch that this host still knows: it runs, or its result is kept for 15 minutes (pure: only while it runs). Raises the run's
   * epoch first, so that after null ("not known") nothing older is accepted any more; the dispatch asked for will not be, either. `refused`
   * says nothing about the dispatch: `fenced` means the asker; `unavailable`, that the door was closed. Never `late` or `overloaded`.
   */
  attach(ask: Fence & Named): Promise<Performed | null>;
  /** Asks the provider; only reads. `try` is the dispatch that is in doubt. */
  reattach(dispatch: Dispatch): Promise<Found>;
  /** The answer is not wanted any more: the plugin is told, and what it says still counts. */
  cancel(ask: Named): void;
  close(): Promise<void>;
}
