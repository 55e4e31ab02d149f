import type { Part } from "@woml/capability";
import { Refusal } from "./answer.ts";

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
    if ("base64" in part) return Buffer.from(part.base64.map(render).join("")).toString("base64");
    return encodeURIComponent(part.url.map(render).join("").toWellFormed());
  };
  const written = (part: Part, sink: Sink): string => {
    const text = render(part);
    if (sink === "json") return JSON.stringify(text).slice(1, -1);
    // What its author has encoded for a URL already is not encoded twice.
    const encoded = typeof part === "object" && "url" in part;
    return sink === "url" && !encoded ? encodeURIComponent(text.toWellFormed()) : text;
  };
  const texts = [...placeholders.keys()];
  if (texts.length === 0) return { bears: () => false, fill: (text) => text, value };
  const source = texts.map((text) => RegExp.escape(text)).join("|");
  const pattern = new RegExp(source, "g");
  // A URL's host comes in lower case.
  const anyCase = new RegExp(source, "i");
  return {
    bears: (text) => anyCase.test(text),
    fill: (text, sink) =>
      text.replace(pattern, (placeholder) => {
        const part = placeholders.get(placeholder);
        return part === undefined ? placeholder : written(part, sink);
      }),
    value,
  };
}
