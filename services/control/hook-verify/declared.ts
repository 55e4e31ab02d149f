import type { Verification } from "@woml/model";
import type { Came, KnownSecret, Verdict } from "./came.ts";
import { matching } from "./compare.ts";
import { hmac } from "./hash.ts";

export type Declared = Extract<Verification, { readonly scheme: "hmac" }>;

/** For whoever signs the body alone: in which header, by which algorithm, written how, after what. */
export function byDeclared({ header, bytes }: Came, secrets: readonly KnownSecret[], declared: Declared): Verdict {
  const { prefix = "", encoding, deliveryHeader } = declared;
  const signature = header(declared.header);
  if (signature === null) return { reason: "signature_missing" };
  if (!signature.startsWith(prefix)) return { reason: "signature_malformed" };
  const given = plain(signature.slice(prefix.length), encoding);
  const secret = matching([given], secrets, ({ value }) => [plain(hmac(declared, value, [bytes]), encoding)]);
  if (secret === null) return { reason: "signature_mismatch" };
  return { secret, delivery: deliveryHeader === undefined ? null : header(deliveryHeader) };
}

/** Hex in either case; base64 with its padding or without. */
function plain(text: string, encoding: Declared["encoding"]): string {
  return encoding === "hex" ? text.toLowerCase() : text.replace(/={1,2}$/, "");
}
