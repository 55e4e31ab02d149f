import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RESUME_FAULTS } from "@woml/run";
import { type GraphQLNamedType, getNamedType, isEnumType, isInputObjectType, isObjectType } from "graphql";
import { CODES, ControlRefusal } from "../errors.ts";
import { DEPTH } from "../limits.ts";
import { openSchema } from "../schema.ts";
import { SCOPES } from "../scopes.ts";

const schema = openSchema();
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));
const own = types.filter(({ name }) => !["String", "Boolean", "Int", "Float", "ID"].includes(name));

function partsOf(type: GraphQLNamedType): readonly { readonly name: string; readonly description?: string | null | undefined }[] {
  if (isObjectType(type) || isInputObjectType(type)) return Object.values(type.getFields());
  return isEnumType(type) ? type.getValues() : [];
}

test("every type, field and value has a description", () => {
  const bare = own.flatMap((type) => [
    ...(type.description ? [] : [type.name]),
    ...partsOf(type).flatMap(({ name, description }) => (description ? [] : [`${type.name}.${name}`])),
  ]);
  assert.deepEqual(bare, []);
});

test("the table of scopes names every field of Query and Mutation, and no other", () => {
  const fields = (type: "Query" | "Mutation") =>
    Object.keys((type === "Query" ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {});
  assert.deepEqual(Object.keys(SCOPES["Query"] ?? {}).sort(), fields("Query").sort());
  assert.deepEqual(Object.keys(SCOPES["Mutation"] ?? {}).sort(), fields("Mutation").sort());
  assert.equal(schema.getSubscriptionType(), undefined);
});

test("a field without a scope keeps control from starting", () => {
  const { me: _, ...query } = SCOPES["Query"] ?? {};
  const isUnguarded = (error: unknown): boolean => error instanceof ControlRefusal && error.code === "WOML_SCHEMA_UNGUARDED";
  assert.throws(() => openSchema(undefined, { ...SCOPES, Query: query }), isUnguarded);
});

test("no path through the schema is deeper than a query may be", () => {
  const depthOf = (type: GraphQLNamedType, above: readonly string[]): number => {
    if (!isObjectType(type)) return 0;
    assert.ok(!above.includes(type.name), `${type.name} contains itself`);
    return 1 + Math.max(...Object.values(type.getFields()).map((field) => depthOf(getNamedType(field.type), [...above, type.name])));
  };
  const roots = [schema.getQueryType(), schema.getMutationType()].map((root) => (root ? depthOf(root, []) : 0));
  assert.ok(Math.max(...roots) <= DEPTH, String(roots));
});

test("every code is WOML_…, stands in the table, and is used", () => {
  const folder = join(import.meta.dirname, "..");
  const files = [folder, join(folder, "resolvers")].flatMap((dir) => readdirSync(dir).map((name) => join(dir, name)));
  const texts = files.filter((path) => path.endsWith(".ts") && !path.endsWith("errors.ts")).map((path) => readFileSync(path, "utf8"));
  const used = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/ApiError\(\s*"(WOML_\w+)"|refusal\("(WOML_\w+)"|refuse\w*\("(WOML_\w+)"|code: "(WOML_\w+)"/g)].map(
        ([, ...found]) => found.find(Boolean),
      ),
    ),
  );
  // Diagnostics, and failures of runs.
  const elsewhere = [
    ...["WOML_PUBLISH_ONE_WORKFLOW", "WOML_RUN_NOT_ADMISSIBLE", "WOML_REQUEST_NOT_READABLE"],
    ...["WOML_PUBLISH_FILE_UNUSED", "WOML_DEFINITION_NOT_RUNNABLE", "WOML_FEATURE_NOT_EXECUTABLE"],
    ...["WOML_CAPABILITY_NOT_GRANTED", "WOML_CAPABILITY_NOT_FOUND", "WOML_OPERATION_UNKNOWN", "WOML_SECRET_NOT_SET"],
    ...["WOML_MODULE_NOT_STORED", "WOML_MODULE_SIZE_LIMIT_EXCEEDED"],
  ];
  const fromModel = Object.keys(CODES).filter((code) => code.startsWith("WOML_JSON_"));
  const fromRun: readonly string[] = RESUME_FAULTS;
  assert.deepEqual(
    [...used].filter((code) => code && !Object.hasOwn(CODES, code) && !elsewhere.includes(code)),
    [],
  );
  assert.deepEqual(
    Object.keys(CODES).filter((code) => !used.has(code) && ![...fromModel, ...fromRun].includes(code)),
    [],
  );
});
