import type { Part } from "@woml/capability";
import { Refusal } from "./answer.ts";
import { BODY_BYTES } from "./request.ts";

/** Where a secret's value is put, and so how it is written there. */
type Sink = "plain" | "url" | "json";
/** Puts values where placeholders stand. */
export interface Filling {
  /** Whether the text holds a placeholder. */
  bears(text: string): boolean;
  fill(text: string, sink: Sink): string;
  value(secret: string): string;
}
type Ask = { readonly placeholders: ReadonlyMap<string, Part>; readonly secrets: Readonly<Record<string, string>> };

/** `none` fills nothing in: with it a request is judged before anything is known to it. */
export function filling({ placeholders, secrets }: Ask, none: boolean): Filling {
  const value = (secret: string): string => {
    const found = Object.hasOwn(secrets, secret) ? secrets[secret] : undefined;
    if (found === undefined) throw new Refusal("WOML_EGRESS_SECRET_MISSING", `The tenant has no secret ${secret}.`);
    return none ? "" : found;
  };
  const render = (part: Part): string => {
    if (typeof part === "string") return part;
    if ("secret" in part) return value(part.secret);
    if ("base64" in part) return Buffer.from(joined(part.base64.values().map(render))).toString("base64");
    return encodeURIComponent(joined(part.url.values().map(render)).toWellFormed());
  };
  const written = (part: Part, sink: Sink): string => {
    const text = render(part);
    if (sink === "json") return JSON.stringify(text).slice(1, -1);
    // What its author has encoded for a URL already is not encoded twice.
    const encoded = typeof part === "object" && "url" in part;
    return sink === "url" && !encoded ? encodeURIComponent(text.toWellFormed()) : text;
  };
  if (placeholders.size === 0) return { bears: () => false, fill: (text) => text, value };
  const finder = finding([...placeholders.keys()]);
  function* pieces(text: string, sink: Sink): Generator<string> {
    let from = 0;
    for (const { at, found } of finder(text)) {
      yield text.slice(from, at);
      const part = placeholders.get(found);
      if (part !== undefined) yield written(part, sink);
      from = at + found.length;
    }
    yield text.slice(from);
  }
  // A URL's host comes in lower case.
  const anyCase = finding([...placeholders.keys()].map((text) => text.toLowerCase()));
  return {
    bears: (text) => !anyCase(text.toLowerCase()).next().done,
    fill: (text, sink) => joined(pieces(text, sink)),
    value,
  };
}

/** A short input may name a long value thousands of times: what no request can hold is not even put together. */
function joined(pieces: Iterable<string>): string {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length > BODY_BYTES) throw new Refusal("WOML_EGRESS_REQUEST_TOO_LARGE", `The request is larger than ${BODY_BYTES} bytes.`);
  }
  return text;
}

/** Where one of `wanted` stands, from left to right: there may be thousands, which begin alike. */
function finding(wanted: readonly string[]): (text: string) => Generator<{ readonly at: number; readonly found: string }> {
  const all = new Set(wanted);
  const lengths = [...new Set(wanted.map(({ length }) => length))].sort((one, other) => other - one);
  const begin = commonBegin(wanted);
  return function* (text) {
    for (let at = text.indexOf(begin); at >= 0 && at < text.length; ) {
      const length = lengths.find((chars) => all.has(text.slice(at, at + chars)));
      if (length !== undefined) yield { at, found: text.slice(at, at + length) };
      at = text.indexOf(begin, at + (length ?? 1));
    }
  };
}

function commonBegin(texts: readonly string[]): string {
  const [first = ""] = texts;
  let chars = first.length;
  for (const text of texts) while (!text.startsWith(first.slice(0, chars))) chars -= 1;
  return first.slice(0, chars);
}
