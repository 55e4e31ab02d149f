// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";

/** JSON text, or why the value has none: `path` of what is not JSON, or the size that was met. */
export type Written =
  | { readonly text: string }
  | { readonly path: string; readonly reason: string }
  | { readonly path: ""; readonly atLeast: number };

/**
 * Writes a JSON value in one pass, so that a getter or proxy cannot answer the check one thing and the text another.
 * Refused with its path: undefined, function, symbol, bigint, NaN and infinities, cycles, class instances, U+0000, lone surrogates, too deep.
 */
export function result(own: Own, maxDepth: number): (value: unknown, maxChars: number) => Written {
  return (root, maxChars) => {
    let refusal: Written | undefined;
    let size = 0;
    const above: object[] = [];
    const steps: (string | number)[] = [];
    own.setPrototype(above, null);
    own.setPrototype(steps, null);
    const pathOf = (depth: number): string => {
      let path = "$";
      for (let i = 0; i < depth && path.length < 900; i++) {
        const step = steps[i];
        if (typeof step === "number") path += `[${step}]`;
        else path += own.isName(step as string) ? `.${step}` : `[${own.quote(own.cut(step as string, 100))}]`;
      }
      return path;
    };
    const refuse = (depth: number, reason: string): string => {
      refusal ??= { path: pathOf(depth), reason };
      return "";
    };
    const grown = (text: string): string => {
      size += text.length;
      if (size > maxChars) refusal ??= { path: "", atLeast: size };
      return text;
    };
    const string = (value: string, depth: number): string => {
      if (size + value.length > maxChars) {
        refusal ??= { path: "", atLeast: size + value.length };
        return "";
      }
      return own.isSound(value) ? grown(own.quote(value)) : refuse(depth, "U+0000 or a lone surrogate");
    };
    const write = (value: unknown, depth: number): string => {
      if (refusal !== undefined) return "";
      if (value === null) return grown("null");
      if (typeof value === "string") return string(value, depth);
      if (typeof value === "boolean") return grown(value ? "true" : "false");
      if (typeof value === "number") return own.isFinite(value) ? grown(own.quote(value)) : refuse(depth, "not a finite number");
      if (typeof value !== "object") return refuse(depth, typeof value);
      return structure(value, depth);
    };
    const structure = (value: object, depth: number): string => {
      const array = own.isArray(value);
      const prototype = own.prototypeOf(value);
      const plain = array ? prototype === own.arrayPrototype : prototype === own.objectPrototype || prototype === null;
      if (!plain) return refuse(depth, "a class instance");
      if (depth >= maxDepth) return refuse(depth, "nested too deep");
      for (let i = 0; i < depth; i++) if (above[i] === value) return refuse(depth, "a cycle");
      const { toJSON } = value as { readonly toJSON?: unknown };
      above[depth] = value;
      if (typeof toJSON === "function") {
        steps[depth] = "toJSON";
        return write(own.callWith(toJSON, value), depth + 1);
      }
      return array ? elements(value as readonly unknown[], depth) : members(value as Readonly<Record<string, unknown>>, depth);
    };
    const elements = (value: readonly unknown[], depth: number): string => {
      let text = grown("[");
      for (let i = 0; i < value.length && refusal === undefined; i++) {
        steps[depth] = i;
        if (i > 0) text += grown(",");
        text += write(value[i], depth + 1);
      }
      return text + grown("]");
    };
    const members = (value: Readonly<Record<string, unknown>>, depth: number): string => {
      let text = grown("{");
      const keys = own.keysOf(value);
      for (let i = 0; i < keys.length && refusal === undefined; i++) {
        const key = keys[i] as string;
        steps[depth] = key;
        if (i > 0) text += grown(",");
        text += string(key, depth + 1) + grown(":") + write(value[key], depth + 1);
      }
      return text + grown("}");
    };
    const text = write(root, 0);
    return refusal ?? { text };
  };
}
