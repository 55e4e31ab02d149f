// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Encoding } from "./encoding.ts";
import type { Handles } from "./handles.ts";
import type { Written } from "./result.ts";
import type { Whole } from "./whole.ts";

export interface GlobalsParts {
  readonly own: Whole;
  readonly encoding: () => Encoding;
  readonly handles: Handles;
  readonly write: (value: unknown, maxChars: number) => Written;
}

/** What scripts expect beside the language, each made when it is first asked for. */
export class Globals {
  readonly #parts: GlobalsParts;

  constructor(parts: GlobalsParts) {
    this.#parts = parts;
  }

  named(name: string): object {
    if (name === "btoa") return (value: unknown) => this.#btoa(value);
    if (name === "atob") return (value: unknown) => this.#atob(value);
    if (name === "TextEncoder") return this.#encoder();
    return name === "TextDecoder" ? this.#decoder() : (value: unknown) => this.#cloned(value);
  }

  #wrong(name: string, message: string): Error {
    const { own } = this.#parts;
    const error = new own.Error(message);
    own.define(error, "name", { value: name });
    return error;
  }

  /** A text with handles in it becomes a handle: its value is encoded where the request leaves. */
  #btoa(value: unknown): string {
    const { own, encoding, handles } = this.#parts;
    const text = own.asText(value);
    const bytes = encoding().fromBinary(text);
    if (bytes === null) throw this.#wrong("InvalidCharacterError", "btoa takes characters up to U+00FF.");
    return handles.derived("base64", text) ?? encoding().base64(bytes);
  }
  #atob(value: unknown): string {
    const { own, encoding } = this.#parts;
    const text = encoding().fromBase64(own.asText(value));
    if (text === null) throw this.#wrong("InvalidCharacterError", "The text is not base64.");
    return text;
  }
  /** JSON values only. */
  #cloned(value: unknown): unknown {
    const { own, write } = this.#parts;
    if ((typeof value !== "object" || value === null) && typeof value !== "function" && typeof value !== "symbol") return value;
    const written = write(value, 0x1fff_ffff);
    if (!("text" in written)) throw this.#wrong("DataCloneError", "Only JSON values can be cloned.");
    return own.parse(written.text);
  }

  #encoder(): object {
    const { own, encoding } = this.#parts;
    class TextEncoder {
      get encoding(): string {
        return "utf-8";
      }
      encode(text: unknown = ""): Uint8Array {
        return encoding().utf8(own.asText(text));
      }
    }
    own.freeze(TextEncoder.prototype);
    return TextEncoder;
  }
  #decoder(): object {
    const { own, encoding } = this.#parts;
    class TextDecoder {
      readonly #fatal: boolean;
      readonly #keepsMark: boolean;

      constructor(label: unknown = "utf-8", options: { readonly fatal?: unknown; readonly ignoreBOM?: unknown } = {}) {
        const known = own.match(/^\s*utf-?8\s*$/i, own.asText(label)) !== null;
        if (!known) throw new own.RangeError("TextDecoder knows UTF-8 only.");
        this.#fatal = Boolean(options.fatal);
        this.#keepsMark = Boolean(options.ignoreBOM);
      }
      get encoding(): string {
        return "utf-8";
      }
      get fatal(): boolean {
        return this.#fatal;
      }
      get ignoreBOM(): boolean {
        return this.#keepsMark;
      }
      decode(input?: unknown): string {
        if (input === undefined) return "";
        const bytes = own.bytesOf(input);
        if (bytes === null) throw new own.TypeError("decode takes a typed array or an ArrayBuffer.");
        const text = encoding().text(bytes, this.#fatal);
        if (text === null) throw new own.TypeError("The bytes are not UTF-8.");
        return !this.#keepsMark && own.find(text, "\ufeff", 0) === 0 ? own.slice(text, 1, text.length) : text;
      }
    }
    own.freeze(TextDecoder.prototype);
    return TextDecoder;
  }
}
