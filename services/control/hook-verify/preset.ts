// What some senders do, each in its own way.
import type { Came, KnownSecret, Verdict } from "./came.ts";
import { matching } from "./compare.ts";
import { hmac } from "./hash.ts";
import { isTimely } from "./moment.ts";

const HEX = { algorithm: "sha256", encoding: "hex" } as const;

/** `X-Hub-Signature-256: sha256=` and the HMAC of the body; the delivery has a UUID. */
export function byGithub({ header, bytes }: Came, secrets: readonly KnownSecret[]): Verdict {
  const signature = header("x-hub-signature-256");
  if (signature === null) return { reason: "signature_missing" };
  const secret = matching([signature], secrets, ({ value }) => [`sha256=${hmac(HEX, value, [bytes])}`]);
  return secret === null ? { reason: "signature_mismatch" } : { secret, delivery: header("x-github-delivery") };
}

/** `Stripe-Signature: t=…,v1=…`, of which there may be several: `t.body`. The whole text of the secret is the key. */
export function byStripe({ header, bytes, now }: Came, secrets: readonly KnownSecret[]): Verdict {
  const said = header("stripe-signature");
  if (said === null) return { reason: "signature_missing" };
  const parts = said.split(",").map((part) => part.trim());
  const of = (name: string): readonly string[] =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
  const [[timestamp, ...others], given] = [of("t"), of("v1")];
  if (timestamp === undefined) return { reason: "timestamp_missing" };
  if (given.length === 0 || others.length > 0) return { reason: "signature_malformed" };
  if (!isTimely(timestamp, now)) return { reason: "timestamp_out_of_range" };
  const secret = matching(given, secrets, ({ value }) => [hmac(HEX, value, [`${timestamp}.`, bytes])]);
  return secret === null ? { reason: "signature_mismatch" } : { secret, delivery: null };
}

/** `X-Slack-Signature: v0=` and the HMAC of `v0:timestamp:body`. */
export function bySlack({ header, bytes, now }: Came, secrets: readonly KnownSecret[]): Verdict {
  const [signature, timestamp] = [header("x-slack-signature"), header("x-slack-request-timestamp")];
  if (signature === null) return { reason: "signature_missing" };
  if (timestamp === null) return { reason: "timestamp_missing" };
  if (!isTimely(timestamp, now)) return { reason: "timestamp_out_of_range" };
  const secret = matching([signature], secrets, ({ value }) => [`v0=${hmac(HEX, value, [`v0:${timestamp}:`, bytes])}`]);
  return secret === null ? { reason: "signature_mismatch" } : { secret, delivery: null };
}
