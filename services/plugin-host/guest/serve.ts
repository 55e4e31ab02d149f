import type { Call, Plugin } from "@woml/capability";
import type { Wire } from "@woml/child/framing";
import type { Begin, FromPlugin, ToPlugin } from "./frames.ts";
import { Requests } from "./http.ts";
import { GUEST } from "./parse.ts";

const LOG_LINES = 100;

interface Live {
  readonly abort: AbortController;
  readonly requests: Requests;
}

/** Performs what the supervisor asks. What it says may be forged by the plugin beside it, so it is checked again where it is heard. */
export class Serving {
  readonly #plugin: Plugin;
  readonly #wire: Wire<FromPlugin>;
  readonly #live = new Map<number, Live>();

  constructor(plugin: Plugin, wire: Wire<FromPlugin>) {
    this.#plugin = plugin;
    this.#wire = wire;
  }

  heard(frame: ToPlugin): void {
    if (frame.frame === "ping") this.#wire.send({ frame: "pong" });
    else if (frame.frame === "cancel") this.#live.get(frame.call)?.abort.abort();
    else if (frame.frame === "answer") this.#live.get(frame.call)?.requests.answer(frame.request, frame.answer);
    else void this.#serve(frame);
  }

  async #serve(begin: Begin): Promise<void> {
    const { call, frame } = begin;
    const live: Live = {
      abort: new AbortController(),
      requests: new Requests((request, asked) => {
        if (this.#live.has(call)) this.#wire.send({ frame: "request", call, request, asked });
      }),
    };
    this.#live.set(call, live);
    try {
      const value = await this.#ask(begin, live);
      this.#live.delete(call);
      this.#wire.send(frame === "perform" ? performed(call, value) : { frame: "found", call, found: JSON.stringify(value) ?? "null" });
    } catch (error) {
      this.#live.delete(call);
      this.#wire.send({ frame: "threw", call, ...thrown(error) });
    }
  }
  async #ask(begin: Begin, { abort, requests }: Live): Promise<unknown> {
    const operation = Object.hasOwn(this.#plugin.operations, begin.operation) ? this.#plugin.operations[begin.operation] : undefined;
    if (operation === undefined) throw new TypeError(`There is no operation ${begin.operation}.`);
    const call: Call = {
      key: begin.key,
      try: begin.try,
      http: requests,
      signal: abort.signal,
      log: this.#log(begin.call),
    };
    const input: unknown = JSON.parse(begin.input);
    if (begin.frame === "perform") return await operation.perform(input, call);
    return operation.reattach === undefined ? { status: "unknown" } : await operation.reattach(input, call);
  }
  #log(call: number): (text: string) => void {
    let lines = 0;
    return (text) => {
      lines += 1;
      if (lines <= LOG_LINES && this.#live.has(call)) this.#wire.send({ frame: "log", call, text: whole(String(text), GUEST.logChars) });
    };
  }
}

function performed(call: number, value: unknown): FromPlugin {
  try {
    const result = JSON.stringify(value);
    if (typeof result !== "string") return { frame: "unfit", call, why: "not_json" };
    if (Buffer.byteLength(result) > GUEST.resultBytes) return { frame: "unfit", call, why: "too_large" };
    return { frame: "performed", call, result };
  } catch {
    return { frame: "unfit", call, why: "not_json" };
  }
}

/** Never cut: secrets are taken out where it is heard, and of one that was cut nobody would know. */
const whole = (text: string, most: number): string => (text.length <= most ? text : `(${text.length} characters, too many to be told)`);

/** A plugin may have bundled a PluginFailure of its own, so it is known by its shape. Reading it can throw too. */
function thrown(error: unknown): { readonly code: string | null; readonly message: string; readonly ambiguous: boolean } {
  try {
    if (!(error instanceof Error)) return { code: null, message: whole(`It threw ${String(error)}`, GUEST.messageChars), ambiguous: false };
    const message = whole(String(error.message), GUEST.messageChars);
    if (
      error.name === "PluginFailure" &&
      "code" in error &&
      typeof error.code === "string" &&
      error.code.length > 0 &&
      error.code.length <= GUEST.codeChars
    )
      return { code: error.code, message, ambiguous: "ambiguous" in error && error.ambiguous === true };
    return { code: null, message: whole(`${String(error.name)}: ${message}`, GUEST.messageChars), ambiguous: false };
  } catch {
    return { code: null, message: "It threw what cannot be read.", ambiguous: false };
  }
}
