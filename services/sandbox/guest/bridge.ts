// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";
import type { Written } from "./result.ts";

export interface BridgeParts {
  readonly own: Own;
  readonly operations: readonly string[];
  readonly write: (value: unknown, maxChars: number) => Written;
  /** A number and texts leave; the answer comes by `settle`. */
  readonly emit: (call: number, operation: string, input: string) => void;
  readonly maxInFlight: number;
  readonly maxCalls: number;
  readonly maxChars: number;
}
interface Open {
  readonly operation: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}
interface Envelope {
  readonly ok?: unknown;
  readonly value?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

/** What a script calls operations with. Every refusal is an error of the script's own realm with a code. */
export class Bridge {
  readonly call: (operation: unknown, input: unknown) => Promise<unknown>;
  readonly #parts: BridgeParts;
  readonly #open: Record<number, Open | undefined> = { __proto__: null } as unknown as Record<number, Open | undefined>;
  #last = 0;
  #inFlight = 0;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.call = (operation, input) =>
      new parts.own.Promise((resolve, reject) => {
        const name = this.#known(operation) ? (operation as string) : "";
        this.#begin(input, { operation: name, resolve, reject });
      });
  }

  /** `envelope`: `{"ok":true,"value":…}` or `{"ok":false,"code":…,"message":…}`. */
  settle(call: number, envelope: string): void {
    const open = this.#open[call];
    if (open === undefined) return;
    delete this.#open[call];
    this.#inFlight -= 1;
    const answer = this.#parts.own.parse(envelope) as Envelope;
    if (answer.ok === true) open.resolve(answer.value);
    else open.reject(this.#refusal(answer.code, answer.message, open.operation));
  }

  #known(operation: unknown): boolean {
    const { operations } = this.#parts;
    for (let i = 0; i < operations.length; i++) if (operations[i] === operation) return true;
    return false;
  }
  #begin(input: unknown, open: Open): void {
    const { own, write, emit, maxChars } = this.#parts;
    const written = this.#overdrawn(open.operation) ?? write(input === undefined ? null : input, maxChars);
    if ("code" in written) open.reject(this.#refusal(written.code, written.message, open.operation));
    else if ("atLeast" in written) open.reject(this.#refusal("WOML_CALL_INPUT_TOO_LARGE", "The input is too large.", open.operation));
    else if ("reason" in written) {
      const message = `The input is not JSON at ${written.path}: ${written.reason}.`;
      open.reject(this.#refusal("WOML_CALL_INPUT_INVALID", own.cut(message, 1_000), open.operation));
    } else {
      this.#last += 1;
      this.#inFlight += 1;
      this.#open[this.#last] = open;
      emit(this.#last, open.operation, written.text);
    }
  }
  #overdrawn(operation: string): { readonly code: string; readonly message: string } | undefined {
    const { maxCalls, maxInFlight } = this.#parts;
    if (operation === "") return { code: "WOML_CALL_UNKNOWN", message: "No such operation is offered." };
    if (this.#last >= maxCalls) return { code: "WOML_CALL_LIMIT", message: `More than ${maxCalls} calls in one attempt.` };
    if (this.#inFlight >= maxInFlight) return { code: "WOML_CALL_LIMIT", message: `More than ${maxInFlight} calls at once.` };
    return undefined;
  }
  #refusal(code: unknown, message: unknown, operation: string): Error {
    const { own } = this.#parts;
    const error = new own.Error(typeof message === "string" ? message : "The operation failed.");
    own.define(error, "name", { value: "WomlServiceError" });
    own.define(error, "code", { value: typeof code === "string" ? code : "WOML_CALL_FAILED", enumerable: true });
    own.define(error, "operation", { value: operation, enumerable: true });
    return error;
  }
}
