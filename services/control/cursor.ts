// Cursors are opaque to callers: base64url of the list's name and the key of a row. What comes back is checked before it is used.
import { Buffer } from "node:buffer";
import { ApiError } from "./errors.ts";

const SEQ = /^[1-9][0-9]{0,8}$/;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** The lists that are paged. */
export type List = "workflow" | "trigger" | "delivery" | "version" | "run" | "verification" | "plugin" | "audit" | "tenant" | "key" | OfRun;
/** The lists of one run: an item is named by the number of its first event. */
type OfRun = "event" | "step" | "operation" | "choice" | "group" | "hook" | "warning";

/** What the key of a row looks like. */
const KEYS: Readonly<Record<List, RegExp>> = {
  workflow: /^[a-z][a-z0-9-]{0,255}$/,
  trigger: /^[a-z][a-z0-9-]{0,255}\/[a-z][A-Za-z0-9-]{0,255}$/,
  delivery: new RegExp(`^${UUID}$`),
  version: /^sha256:[0-9a-f]{64}$/,
  run: new RegExp(`^${UUID}$`),
  ...{ event: SEQ, step: SEQ, operation: SEQ, choice: SEQ, group: SEQ, hook: SEQ, warning: SEQ },
  verification: new RegExp(`^${UUID}/${UUID}$`),
  plugin: /^sha256:[0-9a-f]{64}$/,
  audit: new RegExp(`^${UUID}$`),
  tenant: new RegExp(`^${UUID}$`),
  key: /^[a-z2-7]{8}$/,
};

export function showCursor(list: List, key: string): string {
  return Buffer.from(`${list}:${key}`).toString("base64url");
}

/** null when there is none; a cursor that this list never gave is refused. */
export function readCursor(list: List, text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const plain = Buffer.from(text, "base64url").toString("latin1");
  const key = plain.slice(list.length + 1);
  if (plain.startsWith(`${list}:`) && KEYS[list].test(key) && showCursor(list, key) === text) return key;
  throw new ApiError("WOML_CURSOR_INVALID", "`after` is not a cursor of this list: pass the endCursor of the page before");
}
