import type { Came, KnownSecret, Verdict } from "./came.ts";
import { matching } from "./compare.ts";

const BEARER = /^Bearer +([^\s]+) *$/i;

/** `Authorization: Bearer` and the secret itself. */
export function byBearer({ header }: Pick<Came, "header">, secret: KnownSecret): Verdict {
  const authorization = header("authorization");
  if (authorization === null) return { reason: "bearer_missing" };
  const given = BEARER.exec(authorization)?.[1] ?? "";
  const found = matching([given], [secret], ({ value }) => [value]);
  return found === null ? { reason: "bearer_mismatch" } : { secret: found, delivery: null };
}
