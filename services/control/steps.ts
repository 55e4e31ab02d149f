import type { Definition, StepNode } from "@woml/model";

/** Every step of a definition, those in bodies of loops too, and its JSON pointer into it. */
export function* stepsOf({ nodes }: Pick<Definition, "nodes">): Generator<readonly [step: StepNode, pointer: string]> {
  for (const [at, node] of nodes.entries()) {
    if (node.kind === "step") yield [node, `/nodes/${at}`];
    if (node.kind !== "for-each") continue;
    for (const [nth, inner] of node.body.nodes.entries()) if (inner.kind === "step") yield [inner, `/nodes/${at}/body/nodes/${nth}`];
  }
}
