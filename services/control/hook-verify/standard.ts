import type { Came, KnownSecret, Verdict } from "./came.ts";
import { matching } from "./compare.ts";
import { hmac } from "./hash.ts";
import { isTimely } from "./moment.ts";

const PREFIX = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Standard Webhooks 1.0: `id.timestamp.body` under HMAC-SHA256, one or several signatures in one header, and the time among what is signed. */
export function byStandard({ header, bytes, now }: Came, secrets: readonly KnownSecret[]): Verdict {
  const [id, timestamp, signatures] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
  if (signatures === null || id === null || id === "") return { reason: "signature_missing" };
  if (timestamp === null) return { reason: "timestamp_missing" };
  if (!isTimely(timestamp, now)) return { reason: "timestamp_out_of_range" };
  const given = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? [one.slice(3)] : []));
  if (given.length === 0) return { reason: "signature_malformed" };
  const making = { algorithm: "sha256", encoding: "base64" } as const;
  const secret = matching(given, secrets, ({ value }) => keysOf(value).map((key) => hmac(making, key, [`${id}.${timestamp}.`, bytes])));
  return secret === null ? { reason: "signature_mismatch" } : { secret, delivery: id };
}

/** With the prefix it is base64, and what is none is no key: read as far as it goes it may be an empty one, by which anybody can sign. */
const CODED = /^[-\w+/]{2,}={0,2}$/;

/** Without the prefix senders differ in what they take it for. */
function keysOf(value: string): readonly Uint8Array[] {
  const coded = value.slice(PREFIX.length);
  if (value.startsWith(PREFIX)) return CODED.test(coded) ? [Buffer.from(coded, "base64")] : [];
  return [Buffer.from(value), ...(BASE64.test(value) ? [Buffer.from(value, "base64")] : [])];
}
