// The order of what is looked at (H1): who it is, as far as a header says; what it says that it sends; the bytes; who signed them; what they are.
import type { Json, Verification } from "@woml/model";
import type { FastifyRequest } from "fastify";
import { refuseEncoded } from "./encoding.ts";
import { ApiError } from "./errors.ts";
import type { Hook } from "./hook-find.ts";
import { byBearer } from "./hook-verify/bearer.ts";
import type { Came, KnownSecret, Reason, Verdict } from "./hook-verify/came.ts";
import type { Named } from "./hook-verify/in-body.ts";
import { judge } from "./hook-verify/judge.ts";
import { printable } from "./printable.ts";

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const KEY = printable(512);

/** What it was that failed is told to the tenant, and not to whoever asked: details of a refusal stand in no answer of this door, but for issues. */
function unauthorized(reason: Reason): ApiError {
  return new ApiError("WOML_TRIGGER_UNAUTHORIZED", "this is not from anybody who may ask for it", { reason });
}
/** Secrets that the door has not been given yet, or that nobody has set. */
function secretMissing(secrets: readonly string[]): ApiError {
  return new ApiError("WOML_WEBHOOK_SECRET_MISSING", "this cannot be verified yet: ask again in a moment", {
    secrets,
    retryAfterMs: 1_000,
  });
}

export type Headers = Came["header"];
export const headersOf =
  ({ headers }: FastifyRequest): Headers =>
  (name) => {
    const found = headers[name.toLowerCase()];
    return typeof found === "string" ? found : null;
  };

/** Before the body is read. Answers the name of the secret; null where none is sent as it is. */
export function verifyBearer({ bearer, secrets }: Hook, header: Headers): string | null {
  if (bearer === null) return null;
  const secret = secrets.get(bearer);
  if (secret === undefined) throw secretMissing([bearer]);
  return believed(byBearer({ header }, secret)).secret;
}

/** Which of the secrets are there, before the body is read for their sake. */
export function signingSecrets({ secrets }: Hook, verification: Verification): readonly KnownSecret[] {
  const known = verification.secrets.flatMap((name) => secrets.get(name) ?? []);
  if (known.length === 0) throw secretMissing(verification.secrets);
  return known;
}

/** The name of the secret, and what the sender calls this delivery. One that is not there may be the one it was signed with. */
export function verifySignature(came: Came, verification: Verification, known: readonly KnownSecret[]): Believed {
  const verdict = judge(came, verification, known);
  const missing = verification.secrets.filter((name) => known.every((one) => one.name !== name));
  if ("reason" in verdict && verdict.reason === "signature_mismatch" && missing.length > 0) throw secretMissing(missing);
  return believed(verdict);
}

type Believed = Exclude<Verdict, { readonly reason: Reason }>;
function believed(verdict: Verdict): Believed {
  if ("reason" in verdict) throw unauthorized(verdict.reason);
  return verdict;
}

/** What it says that it sends: JSON, as it is. */
export function acceptType(header: Headers): void {
  if (!JSON_TYPE.test(header("content-type") ?? ""))
    throw new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", "send `content-type: application/json`");
  refuseEncoded(header("content-encoding"));
}

/** By what a delivery is known when it comes again, null for nothing; and what of it has to be the same then. */
export interface Identity {
  readonly source: string | null;
  readonly compared: Json;
}
interface Naming {
  readonly payload: Json;
  /** As a header names it. */
  readonly delivery: string | null;
  /** As the body does, once it is known from whom that is. */
  readonly named: Named | null;
}

/** As the sender names it in a header, else as the caller does, else as the body that was verified does. Throws for what is no name. */
export function identityOf(header: Headers, { payload, delivery, named }: Naming): Identity {
  const key = header("idempotency-key");
  if (key !== null && !KEY.test(key))
    throw new ApiError("WOML_IDEMPOTENCY_KEY_INVALID", "an Idempotency-Key has to be 1 to 512 printable characters");
  for (const name of [delivery, named?.delivery ?? null])
    if (name !== null && !KEY.test(name))
      throw new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", "a delivery's name has to be 1 to 512 printable characters");
  if (delivery !== null) return { source: `delivery:${delivery}`, compared: payload };
  if (key !== null) return { source: `key:${key}`, compared: payload };
  return named === null ? { source: null, compared: payload } : { source: `delivery:${named.delivery}`, compared: named.compared };
}
