import { GraphQLError, Kind, type ValueNode } from "graphql";

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** The scalar JSON: what came in a variable is kept as it was parsed; what stands in the query text is read here. */
export const jsonScalar = {
  serialize: (value: unknown): unknown => value,
  parseValue: (value: unknown): unknown => value,
  parseLiteral: (node: ValueNode, variables?: Variables): unknown => literal(node, variables),
};

function literal(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((value) => literal(value, variables));
    case Kind.OBJECT:
      return objectOf(node.fields.map(({ name, value }) => [name.value, literal(value, variables)]));
    case Kind.VARIABLE:
      return variables?.[node.name.value] ?? null;
    case Kind.ENUM:
      throw new GraphQLError(`JSON has no bare word like ${node.value}: write it in quotes`, { nodes: node });
  }
}

/** Own properties only, whatever their names: an assignment to `__proto__` would be lost. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  const made = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return made;
}
