/**
 * The kinds of what a definition has performed, and the number of the contract that each is run by here: what its script is given, what it
 * may do, what becomes of it. A part that names no number is of the first. A number that is not here is refused, never guessed.
 */
export const CONTRACTS = { step: 1, "reusable step": 1, "lifecycle action": 1, operation: 1 } as const;
export type Contracted = keyof typeof CONTRACTS;
