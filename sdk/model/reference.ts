import { type Static, Type } from "typebox";

/**
 * A path into what a node may see: `["payload", …properties]` or `["steps", node, …properties]`; inside a loop also `["item", …properties]`,
 * `["iteration", "index"]` and `["iteration", "total"]`. The node named must be guaranteed to have completed before the node that holds
 * the reference (laws/dominated-reference.ts).
 */
export const Reference = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 64 });
export type Reference = Static<typeof Reference>;
