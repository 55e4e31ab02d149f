// GraphQL words a fault in a variable with the whole value that holds it, once for each fault. So what could be wrong many times over in one
// value, and values that are large where none can be, are refused here first: what is left for GraphQL to word grows no faster than the body.
import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
} from "graphql";
import { INPUT_LIST, querysFault, refusal, TOKENS } from "./limits.ts";

type Variables = Readonly<Record<string, unknown>>;

/**
 * Refuses unknown fields, lists of more than INPUT_LIST members, and objects and lists where only a single value can be. The text is parsed
 * for this alone: mercurius coerces the variables before it calls any hook that knows them.
 */
export function refuseVariables(schema: GraphQLSchema, query: string, variables: Variables): void {
  if (Object.keys(variables).length === 0) return;
  for (const operation of parsed(query)?.definitions ?? []) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, type } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      const wanted = typeFromAST(schema, type);
      if (wanted && isInputType(wanted) && Object.hasOwn(variables, name)) judge(wanted, variables[name], `$${name}`);
    }
  }
}

/** null for what is no query: mercurius says why. */
function parsed(query: string): DocumentNode | null {
  try {
    return parse(query, { maxTokens: TOKENS, noLocation: true });
  } catch {
    return null;
  }
}

function judge(type: GraphQLInputType, value: unknown, at: string): void {
  if (value === null || value === undefined) return;
  if (isNonNullType(type)) judge(type.ofType, value, at);
  else if (isListType(type)) judgeList(type.ofType, value, at);
  else if (isInputObjectType(type)) judgeFields(type, value, at);
  else if (type.name !== "JSON" && typeof value === "object") {
    throw querysFault(`the variable ${at} has to be a single value (${type.name})`);
  }
}

function judgeFields(type: GraphQLInputObjectType, value: unknown, at: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw querysFault(`the variable ${at} has to be an object`);
  const fields = type.getFields();
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) throw querysFault(`the variable ${at}: ${type.name} has no field ${JSON.stringify(name.slice(0, 80))}`);
    judge(field.type, member, `${at}.${name}`);
  }
}

/** GraphQL takes a single value for a list of one. */
function judgeList(type: GraphQLInputType, value: unknown, at: string): void {
  const members = Array.isArray(value) ? value : [value];
  if (members.length > INPUT_LIST) {
    throw refusal("WOML_QUERY_INVALID", `the variable ${at} is a list of ${members.length}`, INPUT_LIST, members.length);
  }
  for (const [place, member] of members.entries()) judge(type, member, `${at}[${place}]`);
}
