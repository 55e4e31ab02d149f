// A value is sealed with the public key before it is stored: from then on control itself cannot read it.
import { seal } from "@woml/boot";
import { utf8Bytes } from "@woml/model";
import type { SecretRow } from "@woml/prisma";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";

export const SECRET_BYTES: number = 64 * 1024;
export const SECRETS_MAX = 1_000;
const NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export interface SetSecretInput {
  readonly name: string;
  readonly value: string;
}

export function setSecret(asking: Asking, { name, value }: SetSecretInput): Promise<SecretRow> {
  acceptName(name);
  acceptValue(value);
  return withTenant(asking, async (scope) => {
    const before = await scope.secrets();
    if (before.length >= SECRETS_MAX && !before.some((row) => row.name === name)) {
      throw new ApiError("WOML_SECRETS_TOO_MANY", `a tenant has at most ${SECRETS_MAX} secrets`, { limit: SECRETS_MAX });
    }
    await scope.setSecret(name, seal(asking.sealKey, { tenant: scope.tenant, name }, value));
    await scope.record(entryOf(asking.who.key, "secret.set", name));
    const set = (await scope.secrets()).find((row) => row.name === name);
    if (set === undefined) throw new Error("a secret was set and is not there");
    return set;
  });
}

export function removeSecret(asking: Asking, name: string): Promise<boolean> {
  acceptName(name);
  return withTenant(asking, async (scope) => {
    const isRemoved = await scope.removeSecret(name);
    if (isRemoved) await scope.record(entryOf(asking.who.key, "secret.remove", name));
    return isRemoved;
  });
}

function acceptName(name: string): void {
  if (NAME.test(name)) return;
  throw new ApiError("WOML_SECRET_NAME_INVALID", "a secret's name is 1 to 128 letters, digits and underscores, and begins with no digit");
}

/** An empty one, or half of a character, is a mistake of whoever sets it; nothing of it is said back. */
function acceptValue(value: string): void {
  const actual = utf8Bytes(value);
  if (value === "" || !value.isWellFormed() || actual > SECRET_BYTES) {
    const message = `a secret's value is 1 to ${SECRET_BYTES} bytes of text`;
    throw new ApiError("WOML_SECRET_INVALID", message, { limit: SECRET_BYTES, actual });
  }
}
