import { createHash } from "node:crypto";
import { canonical, type Json } from "@woml/model";

/** `sha256:` and hex over the text's UTF-8. */
export function sha256(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** The same value, however its keys are ordered, has the same digest (RFC 8785). */
export function digestOf(value: Json): string {
  return sha256(canonical(value));
}
