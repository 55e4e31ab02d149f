/**
 * Operations of the platform's own. They are journalled like any other, but no plugin performs them: the append that starts one also settles it,
 * writes what it changes and asks for what it starts, or does nothing of that. Only a call of a workflow stays open, until the run that it
 * asked for has ended. Invariants:
 *
 *  B1 What one is judged by is read before, and compared by the append (prisma/append-own.sql): where it has changed, the call is judged again.
 *  B2 What a call changes follows from its events alone: a call that is refused, that failed, or that is answered from an earlier attempt
 *     changes nothing.
 *  B3 The run that a call asks for has an id that follows from the call's key: whoever asks again, asks for the same. There is another one only
 *     when that has ended without success, and nobody waits for it. So has each run that a signal starts, and its key in the inbox.
 */
import type { EffectTerms, OperationFailure } from "@woml/run";

/** By capability and contract number: what its operations do, and whether they change anything. A number that is not here is refused. */
const CONTRACTS: Readonly<Record<string, Readonly<Record<string, EffectTerms["class"]>>>> = {
  "builtin:state@1": { get: "pure", has: "pure", set: "keyed", delete: "keyed", increment: "keyed", setIfAbsent: "keyed" },
  "builtin:events@1": { emit: "keyed" },
  "builtin:workflows@1": { call: "keyed", start: "keyed" },
};
const PREFIX = "builtin:";

export const releaseOf = (capability: string, contract = 1): string => `${PREFIX}${capability}@${contract}`;
export const isBuiltin = (release: string): boolean => release.startsWith(PREFIX);

/** What the operation of this contract promises, or why there is none. */
export function termsOf(release: string, operation: string): EffectTerms | OperationFailure {
  const contract = Object.hasOwn(CONTRACTS, release) ? CONTRACTS[release] : undefined;
  if (contract === undefined) return fault("WOML_CONTRACT_UNSUPPORTED", `This engine does not have ${release}.`);
  const kind = Object.hasOwn(contract, operation) ? contract[operation] : undefined;
  if (kind === undefined) return fault("WOML_OPERATION_UNKNOWN", `${release} has no operation ${operation}.`);
  return { class: kind, windowMs: null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null };
}

/** Known, final, and nothing was done. */
export function fault(code: string, message: string): OperationFailure {
  return { code, message, retryable: false, ambiguous: false };
}
