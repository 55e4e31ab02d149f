/** One connection to one address of a house. */
export interface Member {
  readonly isOpen: boolean;
  close(): void;
}
export interface FleetOptions<M extends Member> {
  /** Every address that a name stands for becomes a member; names are asked anew every two seconds. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly open: (at: { readonly host: string; readonly port: number }) => M;
}
/**
 * The members of a house that is spread over many processes. One whose address no name stands for any more is closed once it is not open: a
 * process that ends in order is not found by its name any more while it still answers.
 */
export interface Fleet<M extends Member> {
  readonly members: readonly M[];
  close(): void;
}
