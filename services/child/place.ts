/** Where a supervisor listens or is found: a Unix socket of this machine, or TCP under a secret that both sides hold. */
export type Place =
  | { readonly socket: string }
  | {
      readonly host: string;
      readonly port: number;
      /** At least one, each of 32 characters or more. The first is used to dial, any of them is taken from who dials: so they can be changed. */
      readonly secrets: readonly string[];
    };
