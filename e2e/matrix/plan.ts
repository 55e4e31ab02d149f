/** What happens to the first request of a case, and what its provider says when it is asked. */
export interface Plan {
  /** Held before its effect, or after it and before its answer, until it is let go or whoever sent it is gone. */
  readonly hold: "before" | "after" | null;
  /** Whether what was held before its effect has it all the same when its sender is gone, and how long after. */
  readonly lands: boolean;
  readonly landsAfterMs: number;
  /** It says first that it is under way. */
  readonly isPending: boolean;
  /** For so long after the sender of the first request has gone it says that it does not know it, whatever is true. */
  readonly lagMs: number;
  /** What it says when it is asked is on its way so long. */
  readonly saysAfterMs: number;
  /** It cannot tell, whenever it is asked. */
  readonly never: boolean;
  /** Its keys de-duplicate nothing any more. */
  readonly forgets: boolean;
}
/** What its own process counts. A `request` is one to perform, a `status` one to be told. */
export interface CaseCount {
  readonly requests: number;
  readonly statuses: number;
  readonly effects: number;
  readonly held: "before" | "after" | null;
}
