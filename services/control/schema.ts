import { readFileSync } from "node:fs";
import { buildSchema, type DocumentNode, type GraphQLField, type GraphQLSchema, isObjectType, isScalarType } from "graphql";
import type { Asking, Resolvers } from "./asking.ts";
import { ControlRefusal } from "./errors.ts";
import { apiKeyResolvers } from "./resolvers/api-key.ts";
import { auditResolvers } from "./resolvers/audit.ts";
import { deliveryResolvers } from "./resolvers/delivery.ts";
import { findingResolvers } from "./resolvers/finding.ts";
import { meResolvers } from "./resolvers/me.ts";
import { mutationResolvers } from "./resolvers/mutation.ts";
import { queryResolvers } from "./resolvers/query.ts";
import { releaseResolvers } from "./resolvers/release.ts";
import { runResolvers } from "./resolvers/run.ts";
import { secretResolvers } from "./resolvers/secret.ts";
import { triggerResolvers } from "./resolvers/trigger.ts";
import { verificationResolvers } from "./resolvers/verification.ts";
import { versionResolvers } from "./resolvers/version.ts";
import { workflowResolvers } from "./resolvers/workflow.ts";
import { jsonScalar } from "./scalar.ts";
import { admit, SCOPES, type Scope } from "./scopes.ts";

type Resolve = Resolvers[string];
type Scopes = Readonly<Record<string, Readonly<Record<string, Scope>>>>;

const RESOLVERS: Readonly<Record<string, Resolvers>> = {
  Query: queryResolvers,
  Mutation: mutationResolvers,
  ApiKey: apiKeyResolvers,
  AuditEntry: auditResolvers,
  Delivery: deliveryResolvers,
  Finding: findingResolvers,
  Me: meResolvers,
  PluginRelease: releaseResolvers,
  Run: runResolvers,
  Secret: secretResolvers,
  Trigger: triggerResolvers,
  Verification: verificationResolvers,
  Version: versionResolvers,
  Workflow: workflowResolvers,
};
const SCHEMA = new URL(import.meta.resolve("@woml/client/schema.graphql"));

/** What a resolver finds in GraphQL's context. */
export interface Context {
  readonly asking: Asking;
  /** The query has been read and is about to be executed. */
  readonly begin: (document: DocumentNode) => void;
}

export function openSchema(text: string = readFileSync(SCHEMA, "utf8"), scopes: Scopes = SCOPES): GraphQLSchema {
  const schema = buildSchema(text);
  const json = schema.getType("JSON");
  if (isScalarType(json)) Object.assign(json, jsonScalar);
  for (const [type, resolvers] of Object.entries(RESOLVERS)) {
    for (const [name, resolve] of Object.entries(resolvers)) attach(fieldOf(schema, type, name), resolve);
  }
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) guard(field, scopes[root?.name ?? ""]?.[field.name]);
  }
  return schema;
}

function attach(field: GraphQLField<unknown, unknown>, resolve: Resolve): void {
  field.resolve = (parent, args, context) => resolve(parent as never, args as never, (context as Context).asking);
}

/** The one place where it is decided who may ask for what. */
function guard(field: GraphQLField<unknown, unknown>, scope: Scope | undefined): void {
  const { name, resolve } = field;
  if (scope === undefined || resolve === undefined) {
    throw new ControlRefusal("WOML_SCHEMA_UNGUARDED", `the schema's field ${name} has no ${scope ? "resolver" : "scope"}`);
  }
  field.resolve = (parent, args, context, info) => {
    admit((context as Context).asking.who, scope, name);
    return resolve(parent, args, context, info);
  };
}

function fieldOf(schema: GraphQLSchema, type: string, name: string): GraphQLField<unknown, unknown> {
  const found = schema.getType(type);
  const field = isObjectType(found) ? found.getFields()[name] : undefined;
  if (!field) throw new ControlRefusal("WOML_SCHEMA_UNGUARDED", `a resolver stands for ${type}.${name}, which the schema does not have`);
  return field;
}
