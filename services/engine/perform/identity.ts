import { handlesIn, storedForm } from "@woml/capability";
import { canonical, isOwn, type Json, parseJson, type Use } from "@woml/model";
import { indexAt, nodeAt, type OperationFailure, type RunId, type Task } from "@woml/run";
import type { ScriptCall } from "@woml/sandbox";
import { NAME_CHARACTERS, OPERATION_BYTES } from "../bounds.ts";
import { releaseOf } from "../builtin/contract.ts";
import type { World } from "../engine.ts";

/** Whose calls these are. */
export interface Caller {
  /** The run that its identities name: the first of a chain of resumed ones. */
  readonly origin: RunId;
  /** Hash of the definition that the run is bound to. */
  readonly version: string;
  readonly task: Pick<Task, "site" | "role" | "script">;
  /** Names of the secrets that the script was given: what it may send. */
  readonly secrets: readonly string[];
  readonly uses: readonly Use[];
  /** The tag of this attempt's handles. */
  readonly tag: string;
}
/** What a call is, whatever becomes of it: the same in every replay of its attempt. */
export interface Identity {
  readonly capability: string;
  readonly operation: string;
  readonly name: string | null;
  readonly inputDigest: string;
  /** Equal in all attempts of what calls. */
  readonly key: string;
  /** The release it is bound to, its input as the script gave it and as it is stored; or why it cannot be an operation. */
  readonly asked: { readonly release: string; readonly given: Json; readonly stored: Json } | { readonly fault: OperationFailure };
}

/** Names the calls of one execution of an attempt, in their order: unnamed equal ones are told apart by counting. */
export class Identities {
  readonly #world: Pick<World, "digest">;
  readonly #caller: Caller;
  readonly #equal = new Map<string, number>();

  constructor(world: Pick<World, "digest">, caller: Caller) {
    this.#world = world;
    this.#caller = caller;
  }

  /** What a script is not offered it cannot call: whoever says that it did is not to be believed. */
  offers({ operation }: ScriptCall): boolean {
    return this.#caller.task.script.calls?.includes(operation) === true;
  }

  next(call: ScriptCall): Identity {
    const dot = call.operation.indexOf(".");
    const alias = dot < 0 ? call.operation : call.operation.slice(0, dot);
    const use = this.#caller.uses.find((one) => one.alias === alias);
    const target = { capability: use?.capability ?? alias, operation: dot < 0 ? "" : call.operation.slice(dot + 1) };
    const named = isName(call.name);
    const input = read(call.input, this.#caller);
    const inputDigest = this.#world.digest("stored" in input ? canonical(input.stored) : call.input);
    const name = named ? call.name : null;
    const asked = named ? bound(use, input) : fault(UNNAMEABLE);
    return { ...target, name, inputDigest, key: this.#key(target, name, inputDigest), asked };
  }

  #key({ capability, operation }: Pick<Identity, "capability" | "operation">, name: string | null, inputDigest: string): string {
    const { origin, version, task } = this.#caller;
    const called = `${capability}.${operation}`;
    const which = name === null ? { inputDigest, k: this.#count(`${called} ${inputDigest}`) } : { name };
    const identity = {
      contract: "woml.operation",
      version: 1,
      origin,
      definition: version,
      ...standing(task),
      role: task.role,
      operation: called,
      ...which,
    };
    return this.#world.digest(canonical(identity)).replace(/^sha256:/, "");
  }

  #count(equal: string): number {
    const k = (this.#equal.get(equal) ?? 0) + 1;
    this.#equal.set(equal, k);
    return k;
  }
}

/** Where a caller stands, as identities name it: a step by its node and iteration, what observes by its site. */
export function standing({ site, role }: Pick<Task, "site" | "role">): { readonly node: string; readonly iteration: number | null } {
  return role === "step" ? { node: nodeAt(site), iteration: indexAt(site) } : { node: site, iteration: null };
}

type Input = { readonly given: Json; readonly stored: Json } | { readonly fault: OperationFailure };

/** A script knows the tag of its attempt, and so how the handle of any secret looks: what counts is which it was given. */
function read(text: string, { tag, secrets }: Pick<Caller, "tag" | "secrets">): Input {
  const parsed = parseJson(text, { bytes: OPERATION_BYTES });
  if ("error" in parsed) {
    const { code, path, message } = parsed.error;
    const kind = code === "WOML_JSON_TOO_LARGE" ? "WOML_OPERATION_INPUT_TOO_LARGE" : "WOML_OPERATION_INPUT_INVALID";
    return fault({ code: kind, message: path === "" ? message : `${path}: ${message}` });
  }
  const form = storedForm(parsed.value, tag);
  if ("fault" in form) return fault({ code: "WOML_OPERATION_INPUT_INVALID", message: form.fault });
  const forged = handlesIn(form.stored).find((name) => !secrets.includes(name));
  if (forged !== undefined)
    return fault({ code: "WOML_OPERATION_SECRET_UNDECLARED", message: `The script does not name the secret ${forged}.` });
  return { given: parsed.value, stored: form.stored };
}

function bound(use: Use | undefined, input: Input): Identity["asked"] {
  if ("fault" in input) return input;
  if (use !== undefined && isOwn(use.capability)) return ownOperation(use, input);
  if (use?.bound === undefined) return fault(NOT_BOUND);
  return { release: use.bound.release, ...input };
}

/** What the platform keeps or passes on is read again as it was given: a handle would be one no more. */
function ownOperation({ capability, contract }: Use, input: { readonly given: Json; readonly stored: Json }): Identity["asked"] {
  if (handlesIn(input.stored).length > 0)
    return fault({ code: "WOML_OPERATION_INPUT_INVALID", message: `services.${capability} takes no secrets.` });
  return { release: releaseOf(capability, contract), ...input };
}

/** Known, final, and nothing was done. */
function fault({ code, message }: Pick<OperationFailure, "code" | "message">): { readonly fault: OperationFailure } {
  return { fault: { code, message, retryable: false, ambiguous: false } };
}

const NOT_BOUND = { code: "WOML_CAPABILITY_NOT_GRANTED", message: "The definition binds this capability to no release; publish it again." };
const UNNAMEABLE = {
  code: "WOML_CALL_OPTIONS_INVALID",
  message: `The name of a call has 1 to ${NAME_CHARACTERS} printable characters.`,
};

function isName(name: string | null): boolean {
  return name === null || (name.length >= 1 && name.length <= NAME_CHARACTERS && name.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name));
}
