// What came to a door, as those see it who say from whom it is: names of headers, bytes, the time. Nothing of it has been read as anything yet.

export interface Came {
  /** By name, in whatever case; null where it did not come. */
  readonly header: (name: string) => string | null;
  /** As they were sent, before anything is made of them. */
  readonly bytes: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
}
/** The secret's value, under the name that is told of it. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Why somebody is not believed: for whoever reads the log of deliveries, never for whoever asked. */
export type Reason =
  | "bearer_missing"
  | "bearer_mismatch"
  | "signature_missing"
  | "signature_malformed"
  | "signature_mismatch"
  | "timestamp_missing"
  | "timestamp_out_of_range";

/** `secret` is the name of the one that it was verified with; `delivery` what the sender calls this delivery, where it does. */
export type Verdict = { readonly secret: string; readonly delivery: string | null } | { readonly reason: Reason };
