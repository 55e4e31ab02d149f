import { handlesIn } from "@woml/capability";
import { utf8Bytes } from "@woml/model";
import { actionSite, approvalToken, type OperationFailure } from "@woml/run";
import type { World } from "../engine.ts";
import { calledOf, type Desk, type Errand } from "./errand.ts";

/** Of the values of one dispatch: a plugin host takes no more. */
const SECRETS_BYTES = 131_072;

/**
 * The token of the approval that a notice asks about, as if it were a secret: the script that sends it holds a handle, so that whoever reads
 * the log can decide nothing.
 */
export const APPROVAL_TOKEN = "woml_approval_token";

export type Values =
  | { readonly values: Readonly<Record<string, string>> }
  | { readonly missing: Pick<OperationFailure, "code" | "message"> };

/**
 * The values that one dispatch needs: of the handles in its input, and of what its plugin's manifest names. They are opened for it and not
 * kept. Rejects only when the store does.
 */
export async function valuesOf({ world, plugins }: Desk, errand: Errand): Promise<Values> {
  const called = calledOf(errand);
  const { tenant } = errand.key;
  const promised = await plugins.promised(called.release, called.capability, called.operation);
  const permitted = promised?.manifest.permissions.secrets ?? [];
  const names = [...new Set([...handlesIn(called.input), ...permitted.map(({ name }) => name)])].toSorted();
  if (names.length === 0) return { values: {} };
  const token = tokenOf(world, errand);
  const sealed = await world.store.secrets(tenant, names);
  const values: [string, string][] = [];
  for (const name of names) {
    if (name === APPROVAL_TOKEN && token !== null) {
      values.push([name, token]);
      continue;
    }
    const bytes = sealed.get(name);
    if (bytes === undefined) return missing("WOML_SECRET_NOT_SET", `The secret ${name} is not set.`);
    const value = opened(world, { tenant, name }, bytes);
    if (value === null) return missing("WOML_SECRET_UNREADABLE", `The secret ${name} cannot be opened; set it again.`);
    values.push([name, value]);
  }
  const bytes = values.reduce((sum, [, value]) => sum + utf8Bytes(value), 0);
  if (bytes > SECRETS_BYTES)
    return missing("WOML_SECRETS_TOO_LARGE", `The secrets of this call have ${bytes} bytes together, more than ${SECRETS_BYTES}.`);
  return { values: Object.fromEntries(values) };
}

/** Of the approval that is asked about; null for what is no notice of one. */
function tokenOf(world: Desk["world"], { key, operation, seed }: Errand): string | null {
  const at = actionSite(operation.node);
  return at?.event === "notice" && at.subject !== null ? approvalToken({ ...key, site: at.subject }, seed, world.derive) : null;
}

function opened(world: Pick<World, "unseal">, of: { readonly tenant: string; readonly name: string }, sealed: Uint8Array): string | null {
  try {
    return world.unseal(of, sealed);
  } catch {
    // The error may hold a part of what was sealed.
    return null;
  }
}

function missing(code: string, message: string): Values {
  return { missing: { code, message } };
}
