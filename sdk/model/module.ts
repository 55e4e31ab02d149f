import { type Static, Type } from "typebox";
import { distinct } from "./distinct.ts";

const closed = { additionalProperties: false };
/** Over the text of the bundle. */
const Digest = Type.String({ pattern: "^sha256:[0-9a-f]{64}$" });

/** A JavaScript module that scripts import: kept with the version as one bundle, known here by its digest. */
export const Module = Type.Object(
  { digest: Digest, exports: distinct(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1 })) },
  closed,
);
export type Module = Static<typeof Module>;

/**
 * What a script calls `services.<alias>`. An alias is its script's own: two that came of different documents may mean different modules
 * by one.
 */
export const Import = Type.Object({ alias: Type.String({ pattern: "^[a-z][A-Za-z0-9]{0,127}$" }), digest: Digest }, closed);
export type Import = Static<typeof Import>;
