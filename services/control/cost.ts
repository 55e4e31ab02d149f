import { type DocumentNode, type GraphQLSchema, isObjectType, Kind, type OperationDefinitionNode, type ValueNode } from "graphql";
import { COST, fragmentWise, refusal } from "./limits.ts";
import { FIRST_DEFAULT, FIRST_MAX } from "./page.ts";

type Variables = Readonly<Record<string, unknown>>;

/**
 * Refuses a query that could answer more than COST items. Every connection counts `first` times what lies below it. Sizes out of
 * range are the resolvers' to refuse; here they count as the nearest that is allowed.
 */
export function refuseCostly(schema: GraphQLSchema, document: DocumentNode, variables: Variables): void {
  const lists = connectionFields(schema);
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    const costOf = fragmentWise(
      document,
      (name, below, node) => {
        if (!lists.has(name)) return below;
        const first = node.arguments?.find((argument) => argument.name.value === "first")?.value;
        return size(first, variables, operation) * Math.max(1, below);
      },
      (...sides) => sides.reduce((sum, side) => sum + side, 0),
    );
    const cost = costOf(operation.selectionSet);
    if (cost > COST) throw refusal("WOML_QUERY_TOO_COSTLY", `the query could answer ${cost} items`, COST, cost);
  }
}

/** The names of all fields that take `first`: in this schema a name means the same on every type. */
function connectionFields(schema: GraphQLSchema): ReadonlySet<string> {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []));
  return new Set(fields.filter((field) => field.args.some((argument) => argument.name === "first")).map((field) => field.name));
}

function size(first: ValueNode | undefined, variables: Variables, operation: OperationDefinitionNode): number {
  const asked = first?.kind === Kind.VARIABLE ? variable(first.name.value, variables, operation) : number(first);
  return Math.min(Math.max(asked ?? FIRST_DEFAULT, 1), FIRST_MAX);
}

function variable(name: string, variables: Variables, operation: OperationDefinitionNode): number | null {
  const given = variables[name];
  if (typeof given === "number") return given;
  return number(operation.variableDefinitions?.find((definition) => definition.variable.name.value === name)?.defaultValue);
}

function number(node: ValueNode | undefined): number | null {
  return node?.kind === Kind.INT ? Number(node.value) : null;
}
