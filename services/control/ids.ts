// The door for ids: a text that cannot be an id is refused here and reaches no query; one that could be is looked up.
import { randomBytes, randomUUID } from "node:crypto";
import { asRunId, asTenantId, parseRunId, parseVersionId, type RunId, type TenantId } from "@woml/run";
import { ApiError } from "./errors.ts";

/** As the language and sdk/model spell workflow ids. */
const WORKFLOW = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const WORKFLOW_CHARACTERS = 256;

export function runIdOf(text: string): RunId {
  return parseRunId(text) ?? refuse("run", "run_ and a UUID in lower case");
}

/** The hash of a version. */
export function versionHashOf(text: string): string {
  return parseVersionId(text) ?? refuse("version", "ver_ and 64 hex digits in lower case");
}

export function workflowIdOf(text: string): string {
  if (text.length <= WORKFLOW_CHARACTERS && WORKFLOW.test(text)) return text;
  return refuse("workflow", "lower-case words joined by hyphens, at most 256 characters");
}

/** UUIDv7: runs sort by the time at which they were asked for. */
export function mintRunId(now: number = Date.now()): RunId {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return asRunId([hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-"));
}

/** Epoch milliseconds at which a UUIDv7 was minted. */
export function mintedAt(run: RunId): number {
  return Number.parseInt(run.slice(0, 8) + run.slice(9, 13), 16);
}

export function mintTenantId(): TenantId {
  return asTenantId(randomUUID());
}

function refuse(kind: string, form: string): never {
  throw new ApiError("WOML_ID_INVALID", `this is not the id of a ${kind}: it has to be ${form}`);
}
