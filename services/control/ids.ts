// The door for ids: a text that cannot be an id is refused here and reaches no query; one that could be is looked up.
import { randomBytes, randomUUID } from "node:crypto";
import { asRunId, asTenantId, parseRunId, parseVersionId, type RunId, type TenantId } from "@woml/run";
import { ApiError } from "./errors.ts";

/** As the language and sdk/model spell workflow ids. */
const WORKFLOW = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const WORKFLOW_CHARACTERS = 256;
const TRIGGER = /^[a-z][A-Za-z0-9-]{0,255}$/;
const NODE = /^[A-Za-z][A-Za-z0-9_.:-]{0,262}$/;

export function runIdOf(text: string): RunId {
  return parseRunId(text) ?? refuse("a run", "run_ and a UUID in lower case");
}

/** Of a node of a definition: no site of anything else. */
export function nodeIdOf(text: string): string {
  return NODE.test(text) ? text : refuse("a node", "as the definition spells it");
}

/** The hash of a version. */
export function versionHashOf(text: string): string {
  return parseVersionId(text) ?? refuse("a version", "ver_ and 64 hex digits in lower case");
}

export function workflowIdOf(text: string): string {
  if (text.length <= WORKFLOW_CHARACTERS && WORKFLOW.test(text)) return text;
  return refuse("a workflow", "lower-case words joined by hyphens, at most 256 characters");
}

export function triggerIdOf(text: string): string {
  return TRIGGER.test(text) ? text : refuse("a trigger", "as its source spells it");
}

/** Runs sort by the time at which they were asked for. */
export function mintRunId(now: number = Date.now()): RunId {
  return asRunId(mintUuid(now));
}

/** A UUIDv7 (RFC 9562): the later one is the greater. */
export function mintUuid(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Epoch milliseconds at which a UUIDv7 was minted. */
export function mintedAt(run: RunId): number {
  return Number.parseInt(run.slice(0, 8) + run.slice(9, 13), 16);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY = /^[a-z2-7]{8}$/;
const RELEASE = /^sha256:[0-9a-f]{64}$/;
/** `step:attempt`, and `:call` for an operation of it. No step's id has a colon. */
const OPERATION = /^([^:]{1,256}):([1-9][0-9]{0,5})(?::([1-9][0-9]{0,5}))?$/;

export function tenantIdOf(text: string): TenantId {
  return UUID.test(text) ? asTenantId(text) : refuse("a tenant", "a UUID in lower case");
}

export function keyIdOf(text: string): string {
  return KEY.test(text) ? text : refuse("a key", "the eight characters that stand after `woml_` in it");
}

export function releaseIdOf(text: string): string {
  return RELEASE.test(text) ? text : refuse("a release", "sha256: and 64 hex digits in lower case");
}

/** `call` null: an attempt as a whole. */
export function operationOf(text: string): { readonly node: string; readonly attempt: number; readonly call: number | null } {
  const [, node, attempt, call] = OPERATION.exec(text) ?? [];
  if (node === undefined) return refuse("an operation", "step:attempt:call, or step:attempt");
  return { node, attempt: Number(attempt), call: call === undefined ? null : Number(call) };
}

export function deliveryIdOf(text: string): string {
  return UUID.test(text) ? text : refuse("a delivery", "a UUID in lower case");
}

export function mintTenantId(): TenantId {
  return asTenantId(randomUUID());
}

function refuse(kind: string, form: string): never {
  throw new ApiError("WOML_ID_INVALID", `this is not the id of ${kind}: it has to be ${form}`);
}
