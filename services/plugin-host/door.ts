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
/** One try of one operation. */
export interface Dispatch extends Fence {
  readonly tenant: string;
  readonly release: string;
  readonly operation: string;
  readonly key: string;
  readonly try: number;
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

/** The engine's side of the plugin host. Every promise resolves. */
export interface PluginHost {
  perform(dispatch: Dispatch): Promise<Performed>;
  /**
   * Joins a dispatch that this host still knows: it runs, or its result is kept for 15 minutes. Raises the run's epoch first, so that after
   * null ("not known") nothing older is accepted any more.
   */
  attach(ask: Fence & { readonly tenant: string; readonly key: string; readonly try: number }): Promise<Performed | null>;
  /** Asks the provider; only reads. `try` is the dispatch that is in doubt. */
  reattach(dispatch: Dispatch): Promise<Found>;
  /** The answer is not wanted any more: the plugin is told, and what it says still counts. */
  cancel(ask: { readonly tenant: string; readonly key: string; readonly try: number }): void;
  close(): Promise<void>;
}
