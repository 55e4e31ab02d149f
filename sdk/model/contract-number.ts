import { Type } from "typebox";

/** A part's contract number; absent means 1, and the one order of a definition leaves 1 out. */
export const Contract = Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));
