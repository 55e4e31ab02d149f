import { type Static, Type } from "typebox";

const closed = { additionalProperties: false };

/**
 * What a crash, a lost answer or a time-out may have left behind, and so what the engine may do next.
 * `pure`: nothing. `keyed`: the provider de-duplicates by the operation's key for `idempotency.windowHours`. `reattachable`: `reattach` can
 * say what became of it. `unsafe`: none of these.
 */
export const EffectClass = Type.Union([Type.Literal("pure"), Type.Literal("keyed"), Type.Literal("reattachable"), Type.Literal("unsafe")]);
export type EffectClass = Static<typeof EffectClass>;

/** A question about the input: the value at a JSON pointer (RFC 6901) is one of these, or is there, or is not. */
export const When = Type.Union([
  Type.Object({ pointer: Type.String(), in: Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])) }, closed),
  Type.Object({ pointer: Type.String(), present: Type.Boolean() }, closed),
]);
export type When = Static<typeof When>;

/** A class, or a table of which the first line that holds counts; without one that does, `default`. */
export const Effect = Type.Union([
  EffectClass,
  Type.Object(
    { table: Type.Array(Type.Object({ when: When, effect: EffectClass }, closed), { minItems: 1, maxItems: 16 }), default: EffectClass },
    closed,
  ),
]);
export type Effect = Static<typeof Effect>;
