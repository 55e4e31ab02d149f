/** `services.state`: what the runs of one workflow keep. Pure: judged by the entry that was read, which the append compares (B1). */
import { type Json, STATE_LIMITS, utf8Bytes } from "@woml/model";
import type { StateEntry, StateWrite } from "@woml/prisma";
import type { Called, OperationFailure } from "@woml/run";
import { fault } from "./contract.ts";
import type { StateInput } from "./input.ts";

type Performed = { readonly result: Json; readonly write?: StateWrite } | { readonly failure: OperationFailure };

export function performState({ operation, input }: Called, entry: StateEntry): Performed {
  const asked = input as unknown as StateInput;
  const { value, version } = entry;
  const isThere = version > 0;
  const { ifVersion } = asked;
  if (ifVersion !== undefined && ifVersion !== version) return { failure: otherVersion(asked.key, ifVersion, version) };
  switch (operation) {
    case "get":
      return { result: asked.version === true ? { value, version } : value };
    case "has":
      return { result: isThere };
    case "set":
      return keep(asked.key, asked.value ?? null, entry, (written) => ({ version: written }));
    case "setIfAbsent":
      if (isThere) return { result: { created: false, version } };
      return keep(asked.key, asked.value ?? null, entry, (written) => ({ created: true, version: written }));
    case "increment":
      return increment(asked, entry);
    case "delete":
      if (!isThere) return { result: { deleted: false } };
      return { result: { deleted: true }, write: { ...at(asked.key, entry), value: null, version, bytes: 0, added: -entry.bytes } };
    default:
      throw new Error(`state has no operation ${operation}`);
  }
}

function increment({ key, by = 1 }: StateInput, entry: StateEntry): Performed {
  const before = entry.version > 0 ? entry.value : 0;
  if (typeof before !== "number" || !Number.isSafeInteger(before))
    return { failure: fault("WOML_STATE_INTEGER_REQUIRED", `What is kept under ${JSON.stringify(key)} is no whole number.`) };
  const sum = before + by;
  if (!Number.isSafeInteger(sum))
    return { failure: fault("WOML_STATE_INTEGER_OVERFLOW", `${before} and ${by} are more than a whole number may be, exact in 53 bits.`) };
  return keep(key, sum, entry, () => sum);
}

function keep(key: string, value: Json, entry: StateEntry, resultOf: (version: number) => Json): Performed {
  const text = JSON.stringify(value);
  const bytes = utf8Bytes(text) + utf8Bytes(key);
  const added = bytes - entry.bytes;
  if (entry.version === 0 && entry.keys >= STATE_LIMITS.keys)
    return { failure: full(`${entry.keys} keys of the ${STATE_LIMITS.keys} that a workflow may keep`) };
  if (added > 0 && entry.totalBytes + added > STATE_LIMITS.bytes)
    return {
      failure: full(`${entry.totalBytes} bytes of the ${STATE_LIMITS.bytes} that a workflow may keep, and ${added} more do not fit`),
    };
  const version = entry.version === 0 ? entry.floor + 1 : entry.version + 1;
  return { result: resultOf(version), write: { ...at(key, entry), value: text, version, bytes, added } };
}

function at(key: string, { version, floor }: StateEntry): Pick<StateWrite, "key" | "expected" | "floor"> {
  return { key, expected: version, floor };
}

function full(what: string): OperationFailure {
  return fault("WOML_STATE_QUOTA_EXCEEDED", `There are ${what}.`);
}

function otherVersion(key: string, wanted: number, stands: number): OperationFailure {
  const what = stands === 0 ? "nothing is there" : `it has version ${stands}`;
  return fault("WOML_STATE_CONFLICT", `${JSON.stringify(key)} was to have version ${wanted}, and ${what}.`);
}
