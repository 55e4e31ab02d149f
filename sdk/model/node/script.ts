import { type Static, Type } from "typebox";
import { Contract } from "../contract-number.ts";
import { distinct } from "../distinct.ts";
import { NodeId } from "../identifier.ts";
import { Import } from "../module.ts";
import { Reference } from "../reference.ts";
import { CallName, SecretName } from "../use.ts";

const closed = { additionalProperties: false };

/**
 * What runs in the sandbox. `needs` says what of the context the script can name; absent means that it may reach for anything visible
 * to it. `calls`, `secrets` and `modules` are all that it may call, name and import, sorted; absent, none. An item and its
 * iteration are always given inside a loop.
 */
export const Script = Type.Object(
  {
    source: Type.String(),
    needs: Type.Optional(Type.Object({ payload: Type.Boolean(), steps: distinct(Type.Array(NodeId)) }, closed)),
    calls: Type.Optional(distinct(Type.Array(CallName, { minItems: 1, maxItems: 256 }))),
    secrets: Type.Optional(distinct(Type.Array(SecretName, { minItems: 1, maxItems: 64 }))),
    modules: Type.Optional(Type.Array(Import, { minItems: 1, maxItems: 512 })),
  },
  closed,
);
export type Script = Static<typeof Script>;

/** `name` is the binding in `props`: lower camel case. */
export const Prop = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z][A-Za-z0-9]{0,127}$" }),
    value: Type.Union([
      Type.Object({ kind: Type.Literal("literal"), text: Type.String() }, closed),
      Type.Object({ kind: Type.Literal("reference"), path: Reference }, closed),
      Type.Object({ kind: Type.Literal("secret"), name: SecretName }, closed),
    ]),
  },
  closed,
);
export type Prop = Static<typeof Prop>;

/**
 * That a script came from a reusable definition: it is given `props` (sorted by name) instead of secrets, and what the definition's own
 * lifecycle does when the script has ended for good.
 */
export const Reusable = Type.Object(
  {
    props: Type.Array(Prop),
    onSuccess: Type.Optional(Type.Array(Script, { minItems: 1 })),
    onError: Type.Optional(Type.Array(Script, { minItems: 1 })),
    onComplete: Type.Optional(Type.Array(Script, { minItems: 1 })),
    contract: Contract,
  },
  closed,
);
export type Reusable = Static<typeof Reusable>;
