// What a person says that an operation answered is judged as what its plugin would have said.
import { faults, type Manifest } from "@woml/capability";
import { checkText, type Json, utf8Bytes } from "@woml/model";
import type { TenantScope } from "@woml/prisma";
import type { OperationState } from "@woml/run";
import { ApiError } from "./errors.ts";

/** The output of a step, as the engine takes it. */
const OUTPUT_BYTES: number = 1024 * 1024;

/** R2 of resolve.ts. */
export async function acceptResult(scope: Pick<TenantScope, "release">, operation: OperationState, result: unknown): Promise<Json> {
  const release = operation.called === null ? null : await scope.release(operation.called.release);
  if (release === null) throw new Error("an operation was dispatched to a release that is not stored");
  const manifest: Manifest = JSON.parse(release.manifest);
  const described = manifest.operations[operation.operation];
  if (described === undefined) throw new Error("an operation was dispatched that its release does not have");
  const value = acceptJson(result, described.maxOutputBytes);
  const complaints = faults(described.output, value);
  if (complaints.length === 0) return value;
  const message = `${operation.capability}.${operation.operation} does not answer so: ${complaints.join("; ")}`;
  throw new ApiError("WOML_RESOLUTION_RESULT_INVALID", message, { complaints });
}

export function acceptOutput(result: unknown): Json {
  return acceptJson(result, OUTPUT_BYTES);
}

function acceptJson(result: unknown, limit: number): Json {
  const value = result ?? null;
  const fault = checkText(value);
  if (fault !== null) throw new ApiError("WOML_RESOLUTION_RESULT_INVALID", `the result at ${fault.path}: ${fault.message}`);
  const actual = utf8Bytes(JSON.stringify(value));
  if (actual <= limit) return value as Json;
  throw new ApiError("WOML_RESOLUTION_RESULT_INVALID", `the result has ${actual} bytes; at most ${limit} are taken`, { limit, actual });
}
