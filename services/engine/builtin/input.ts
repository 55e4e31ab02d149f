/** What a call of the platform's own has for input, once it is known to be well formed. The guest makes it of the arguments (sandbox/guest/shape.ts). */
import { canonical, type Json, STATE_LIMITS, signalFault, utf8Bytes } from "@woml/model";
import { isPlatformSignal, type OperationFailure } from "@woml/run";
import { CALL_PAYLOAD_BYTES, CALL_TIMEOUT_MS } from "../bounds.ts";
import { fault } from "./contract.ts";

export interface StateInput {
  readonly key: string;
  readonly value?: Json;
  readonly by?: number;
  readonly ifVersion?: number;
  /** `get` answers the version too. */
  readonly version?: boolean;
}
export interface CallInput {
  readonly id: string;
  readonly payload: Json;
}
export interface EmitInput {
  readonly signal: string;
  readonly payload: Json;
}
type Fields = { readonly [member: string]: Json };

/** Why the input is none of this operation, or null. `name` is that of the call. */
export function inputFault(capability: string, operation: string, input: Json, name: string | null): OperationFailure | null {
  if (!isFields(input)) return fault("WOML_OPERATION_INPUT_INVALID", "The input of the call is no object.");
  if (capability === "state") return stateFault(operation, input, name);
  return capability === "events" ? emitFault(input) : callFault(operation, input);
}

function emitFault({ signal, payload }: Fields): OperationFailure | null {
  if (typeof signal !== "string") return fault("WOML_EVENTS_INPUT_INVALID", "The name of a signal is a text.");
  const wrong = signalFault(signal);
  if (wrong !== null) return fault("WOML_EVENT_NAME_INVALID", wrong);
  if (isPlatformSignal(signal)) return fault("WOML_EVENT_NAME_RESERVED", `${signal} is a signal that the platform alone emits.`);
  if (!isFields(payload)) return fault("WOML_EVENTS_INPUT_INVALID", "The payload of a signal is an object.");
  const bytes = utf8Bytes(canonical(payload));
  if (bytes > CALL_PAYLOAD_BYTES)
    return fault("WOML_EVENT_PAYLOAD_TOO_LARGE", `The payload has ${bytes} bytes, and a signal takes ${CALL_PAYLOAD_BYTES}.`);
  return null;
}

function stateFault(operation: string, { key, value, by, ifVersion, version }: Fields, name: string | null): OperationFailure | null {
  const isRead = operation === "get" || operation === "has";
  if (typeof key !== "string" || key === "" || utf8Bytes(key) > STATE_LIMITS.keyBytes)
    return fault("WOML_STATE_KEY_INVALID", `A key of state is a text of 1 to ${STATE_LIMITS.keyBytes} bytes.`);
  if (!isRead && name === null)
    return fault("WOML_STATE_OPERATION_NAME_INVALID", `What changes state is named: services.state.${operation}(…, { name: "count" }).`);
  if (operation === "set" || operation === "setIfAbsent") {
    if (value === undefined) return fault("WOML_STATE_VALUE_INVALID", "What is kept is a JSON value.");
    const bytes = utf8Bytes(canonical(value));
    if (bytes > STATE_LIMITS.valueBytes)
      return fault("WOML_STATE_VALUE_TOO_LARGE", `The value has ${bytes} bytes, and ${STATE_LIMITS.valueBytes} are kept under a key.`);
  }
  if (by !== undefined && !isWhole(by)) return fault("WOML_STATE_INTEGER_REQUIRED", "What is added is a whole number, exact in 53 bits.");
  if (ifVersion !== undefined && !(isWhole(ifVersion) && ifVersion >= 0))
    return fault("WOML_OPERATION_INPUT_INVALID", "ifVersion is the version that was read, or 0 where nothing may stand.");
  if (version !== undefined && typeof version !== "boolean") return fault("WOML_OPERATION_INPUT_INVALID", "version is true or false.");
  return null;
}

const WORKFLOW_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const ID_LENGTH = 256;

function callFault(operation: string, { id, payload, timeout }: Fields): OperationFailure | null {
  if (typeof id !== "string" || id.length > ID_LENGTH || !WORKFLOW_ID.test(id))
    return fault("WOML_WORKFLOW_TARGET_INVALID", "This is no id of a workflow.");
  if (!isFields(payload)) return fault("WOML_WORKFLOW_PAYLOAD_INVALID", "The payload of a workflow is an object.");
  const bytes = utf8Bytes(canonical(payload));
  if (bytes > CALL_PAYLOAD_BYTES)
    return fault("WOML_WORKFLOW_PAYLOAD_TOO_LARGE", `The payload has ${bytes} bytes, and a workflow takes ${CALL_PAYLOAD_BYTES}.`);
  if (timeout !== undefined && (operation !== "call" || durationMs(timeout) === null))
    return fault(
      "WOML_WORKFLOW_CALL_OPTIONS_INVALID",
      'The time-out of a call is a whole number with its unit, up to 24h ("30s"), or of milliseconds.',
    );
  return null;
}

/** How long the call waits at most. */
export function timeoutOf(operation: string, input: Json): number {
  const timeout = isFields(input) ? input["timeout"] : undefined;
  return operation === "call" ? ((timeout === undefined ? null : durationMs(timeout)) ?? CALL_TIMEOUT_MS) : 0;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(value: Json): number | null {
  const [, count = "", unit = ""] = (typeof value === "string" && /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(value)) || [];
  const ms = typeof value === "number" ? value : Number(count) * (UNITS[unit] ?? 0);
  return isWhole(ms) && ms >= 1 && ms <= CALL_TIMEOUT_MS ? ms : null;
}

const isWhole = (value: Json): value is number => typeof value === "number" && Number.isSafeInteger(value);

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
