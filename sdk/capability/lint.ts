import type { EffectClass } from "./effect.ts";
import { faults } from "./faults.ts";
import { networkComplaints } from "./lint/network.ts";
import { schemaComplaints } from "./lint/schema.ts";
import { CONTRACT, Manifest, type OperationManifest } from "./manifest.ts";
import { isPointer } from "./pointer.ts";

const MAX_CHARACTERS = 1_048_576;

/** Everything that speaks against a manifest, for its author; empty when it may be submitted. */
export function lint(value: unknown): readonly string[] {
  const shape = faults(Manifest, value);
  if (shape.length > 0) return shape;
  const manifest = value as Manifest;
  if (JSON.stringify(manifest).length > MAX_CHARACTERS) return [`the manifest is longer than ${MAX_CHARACTERS} characters`];
  return [
    ...wholeComplaints(manifest),
    ...Object.entries(manifest.operations).flatMap(([name, one]) => [...operationComplaints(name, one)]),
  ];
}

/** A manifest from outside. `complaints` are for its author, at least one. */
export function readManifest(value: unknown): { readonly manifest: Manifest } | { readonly complaints: readonly string[] } {
  const complaints = lint(value);
  return complaints.length > 0 ? { complaints } : { manifest: value as Manifest };
}

function* wholeComplaints(manifest: Manifest): Generator<string> {
  if (manifest.contract !== CONTRACT) yield `contract ${manifest.contract} is not spoken here; ${CONTRACT} is`;
  yield* networkComplaints(manifest);
  const secrets = (manifest.permissions.secrets ?? []).map(({ name }) => name);
  if (new Set(secrets).size < secrets.length) yield "permissions.secrets names a secret twice";
}

function* operationComplaints(name: string, operation: OperationManifest): Generator<string> {
  const path = `operations.${name}`;
  const classes = classesOf(operation);
  yield* effectComplaints(path, operation, classes);
  const { idempotency, status } = operation;
  const keys = classes.has("keyed") || classes.has("reattachable");
  if (classes.has("keyed") && !idempotency) yield `${path}: keyed, but without idempotency nobody knows how the key reaches the provider`;
  if (idempotency && !keys) yield `${path}: idempotency means something for keyed and reattachable only`;
  if (classes.has("reattachable") && !status) yield `${path}: reattachable, but without status`;
  if (status && !classes.has("reattachable")) yield `${path}: status means something for reattachable only`;
  yield* schemaComplaints(operation.input, `${path}.input`);
  yield* schemaComplaints(operation.output, `${path}.output`);
}

function* effectComplaints(path: string, { effect, idempotency }: OperationManifest, classes: ReadonlySet<EffectClass>): Generator<string> {
  const pointers = typeof effect === "string" ? [] : effect.table.map(({ when }) => when.pointer);
  if (idempotency && typeof idempotency.header === "object") pointers.push(idempotency.header.pointer);
  if (idempotency?.value) pointers.push(idempotency.value.pointer);
  for (const pointer of pointers) if (!isPointer(pointer)) yield `${path}: ${JSON.stringify(pointer)} is no JSON pointer`;
  if (typeof idempotency?.header === "string" && !/^[A-Za-z0-9-]+$/.test(idempotency.header))
    yield `${path}: idempotency.header is no header's name`;
  if (typeof effect !== "string" && classes.size === 1) yield `${path}: a table of one class; name the class`;
}

const classesOf = ({ effect }: OperationManifest): ReadonlySet<EffectClass> =>
  new Set(typeof effect === "string" ? [effect] : [...effect.table.map((line) => line.effect), effect.default]);
