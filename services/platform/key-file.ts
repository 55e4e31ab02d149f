import { existsSync } from "node:fs";
import { folderAt, readPrivate } from "./folder.ts";
import { Refusal } from "./refusal.ts";

/** What a person on this machine may use, remembered between starts in keys.json. */
export interface Keys {
  readonly tenant: string;
  readonly key: string;
  readonly admin: string;
}

/** null when there is none; a Refusal when there is one that cannot be understood. */
export function readKeys(data: string): Keys | null {
  const file = folderAt(data).keys;
  if (!existsSync(file)) return null;
  const found = readPrivate(file);
  if (isKeys(found)) return found;
  throw new Refusal("WOML_KEYS_UNREADABLE", `${file} is not a keys file; remove it, and the next start makes new keys.`);
}

const isKeys = (value: unknown): value is Keys =>
  typeof value === "object" &&
  value !== null &&
  ["tenant", "key", "admin"].every((name) => typeof Object.getOwnPropertyDescriptor(value, name)?.value === "string");
