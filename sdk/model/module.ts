import { type Static, Type } from "typebox";

/** A JavaScript module that scripts call as `services.<alias>.<export>`: kept with the version as one bundle, known here by its digest. */
export const Module = Type.Object(
  {
    alias: Type.String({ pattern: "^[a-z][A-Za-z0-9]{0,127}$" }),
    exports: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, uniqueItems: true }),
    digest: Type.String({ pattern: "^sha256:[0-9a-f]{64}$" }),
  },
  { additionalProperties: false },
);
export type Module = Static<typeof Module>;
