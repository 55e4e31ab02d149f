import { faults, termsOf } from "@woml/capability";
import { type Json, utf8Bytes } from "@woml/model";
import type { OperationFailure, OperationState, Seen, TenantId } from "@woml/run";
import { isBuiltin, termsOf as termsOfOwn } from "../builtin/contract.ts";
import { inputFault, timeoutOf } from "../builtin/input.ts";
import type { CallOperation } from "../decide/command.ts";
import type { Plugins } from "../plugins.ts";
import type { Identity } from "./identity.ts";

type Asked = CallOperation["asked"];

/** Faults of an input told to a script. */
const FAULTS_TOLD = 5;

/**
 * What a new call asks of the run: an operation, with its effect as the pinned manifest judges this input, or a refusal. Looked at before
 * its start: grant, operation, size, schema. Rejects only when the store does.
 */
export async function asked(plugins: Plugins, tenant: TenantId, identity: Identity): Promise<Asked> {
  const { capability, operation, name, inputDigest } = identity;
  const refuse = (refused: OperationFailure): Asked => ({ refused, capability, operation, name, inputDigest });
  if ("fault" in identity.asked) return refuse(identity.asked.fault);
  const { release, given, stored } = identity.asked;
  if (isBuiltin(release)) return own(identity, { release, input: stored }, refuse);
  const objection = await plugins.objection(tenant, release);
  if (objection !== null) return refuse(objection);
  const promised = await plugins.promised(release, capability, operation);
  if (promised === null) return refuse(failure("WOML_OPERATION_UNKNOWN", `The release of ${capability} has no operation ${operation}.`));
  const { input, maxInputBytes, timeoutMs } = promised.operation;
  const bytes = utf8Bytes(JSON.stringify(given));
  if (bytes > maxInputBytes)
    return refuse(failure("WOML_OPERATION_INPUT_TOO_LARGE", `The input has ${bytes} bytes, and ${operation} takes ${maxInputBytes}.`));
  const wrong = faults(input, given);
  if (wrong.length > 0) return refuse(failure("WOML_OPERATION_INPUT_INVALID", wrong.slice(0, FAULTS_TOLD).join("; ")));
  const sticky = promised.operation.failures === "sticky";
  const effect = { ...termsOf(promised.operation, given), ...(sticky ? { sticky } : {}) };
  return { called: { capability, operation, release, name, inputDigest, input: stored, effect, timeoutMs } };
}

/** An operation of the platform's own: nobody grants it, and no manifest says what it is. */
function own(
  { capability, operation, name, inputDigest }: Identity,
  { release, input }: { readonly release: string; readonly input: Json },
  refuse: (failure: OperationFailure) => Asked,
): Asked {
  const effect = termsOfOwn(release, operation);
  if ("code" in effect) return refuse(effect);
  const wrong = inputFault(capability, operation, input, name);
  if (wrong !== null) return refuse(wrong);
  return { called: { capability, operation, release, name, inputDigest, input, effect, timeoutMs: timeoutOf(operation, input) } };
}

/** What a replayed call does otherwise than the recorded one, in words; null when it is the same call at the same point. */
export function difference(
  recorded: OperationState | undefined,
  { identity, seen }: { readonly identity: Identity; readonly seen: Seen },
): string | null {
  if (recorded === undefined) return "a call that is not recorded";
  const { capability, operation, name, inputDigest } = recorded;
  if (capability !== identity.capability || operation !== identity.operation)
    return `it called ${identity.capability}.${identity.operation}, and had called ${capability}.${operation}`;
  if (name !== identity.name) return `it named the call ${JSON.stringify(identity.name)}, and had named it ${JSON.stringify(name)}`;
  if (inputDigest !== identity.inputDigest) return `it called ${capability}.${operation} with another input`;
  return sameSeen(recorded.seen, seen) ? null : `it called ${capability}.${operation} at another point`;
}

function sameSeen(left: Seen, right: Seen): boolean {
  return left.length === right.length && left.every((one, index) => momentOf(one) === momentOf(right[index]));
}

export function momentOf(given: Seen[number] | undefined): string {
  if (given === undefined) return "";
  return "answer" in given ? `answer ${given.answer}` : `timer ${given.timer}`;
}

function failure(code: string, message: string): OperationFailure {
  return { code, message, retryable: false, ambiguous: false };
}
