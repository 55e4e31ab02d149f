// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";
import type { Written } from "./result.ts";

export interface BridgeParts {
  readonly write: (value: unknown, maxChars: number) => Written;
  /** Texts and a number leave; the answer comes by `settle`. */
  readonly emit: (call: number, operation: string, input: string) => void;
  readonly maxInFlight: number;
  readonly maxCalls: number;
  readonly maxChars: number;
}
export interface Bridge {
  readonly call: (operation: unknown, input: unknown) => Promise<unknown>;
  /** `envelope`: `{"ok":true,"value":…}` or `{"ok":false,"code":…,"message":…}`. */
  readonly settle: (call: number, envelope: string) => void;
}
interface Open {
  readonly operation: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What a script calls operations with. Every refusal is an error of the script's own realm with a code. */
export function bridge(own: Own, operations: readonly string[], parts: BridgeParts): Bridge {
  const open: Record<number, Open | undefined> = { __proto__: null } as unknown as Record<number, Open | undefined>;
  let last = 0;
  let inFlight = 0;
  const refusal = (code: unknown, message: unknown, operation: string): Error => {
    const error = new own.Error(typeof message === "string" ? message : "The operation failed.");
    own.define(error, "name", { value: "WomlServiceError" });
    own.define(error, "code", { value: typeof code === "string" ? code : "WOML_CALL_FAILED", enumerable: true });
    own.define(error, "operation", { value: operation, enumerable: true });
    return error;
  };
  const known = (operation: unknown): operation is string => {
    for (let i = 0; i < operations.length; i++) if (operations[i] === operation) return true;
    return false;
  };
  const begin = (operation: unknown, input: unknown, promise: Omit<Open, "operation">): void => {
    if (!known(operation)) return promise.reject(refusal("WOML_CALL_UNKNOWN", "No such operation is offered.", ""));
    const refuse = (code: string, message: string): void => promise.reject(refusal(code, message, operation));
    if (last >= parts.maxCalls) return refuse("WOML_CALL_LIMIT", `More than ${parts.maxCalls} calls in one attempt.`);
    if (inFlight >= parts.maxInFlight) return refuse("WOML_CALL_LIMIT", `More than ${parts.maxInFlight} calls at once.`);
    const written = parts.write(input === undefined ? null : input, parts.maxChars);
    if ("atLeast" in written) return refuse("WOML_CALL_INPUT_TOO_LARGE", `The input is larger than ${parts.maxChars} characters.`);
    if ("reason" in written) return refuse("WOML_CALL_INPUT_INVALID", `The input is not JSON at ${written.path}: ${written.reason}.`);
    last += 1;
    inFlight += 1;
    open[last] = { operation, ...promise };
    parts.emit(last, operation, written.text);
  };
  return {
    call: (operation, input) => new own.Promise((resolve, reject) => begin(operation, input, { resolve, reject })),
    settle: (call, envelope) => {
      const promise = open[call];
      if (promise === undefined) return;
      delete open[call];
      inFlight -= 1;
      const answer = own.parse(envelope) as {
        readonly ok?: unknown;
        readonly value?: unknown;
        readonly code?: unknown;
        readonly message?: unknown;
      };
      if (answer.ok === true) promise.resolve(answer.value);
      else promise.reject(refusal(answer.code, answer.message, promise.operation));
    },
  };
}
