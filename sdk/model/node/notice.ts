import { type Static, Type } from "typebox";
import { distinct } from "../distinct.ts";
import { Reference } from "../reference.ts";
import { SecretName } from "../use.ts";
import { Reusable, Script } from "./script.ts";

const closed = { additionalProperties: false };

/** A text with values in it. A path begins with `payload`, `steps` or `lifecycle`. Texts are not empty and no two stand side by side. */
export const Message = Type.Array(
  Type.Union([
    Type.Object({ kind: Type.Literal("text"), text: Type.String({ minLength: 1 }) }, closed),
    Type.Object({ kind: Type.Literal("reference"), path: Reference }, closed),
  ]),
  { minItems: 1 },
);
export type Message = Static<typeof Message>;

const message = Type.Optional(Message);
const Destinations = distinct(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }));
const text = Type.String({ minLength: 1 });

/** One provider told of an approval (no message: the approval is it) or by a hook of the lifecycle. */
export const Notice = Type.Union([
  Type.Object({ provider: Type.Literal("slack"), channels: Destinations, botToken: SecretName, appToken: SecretName, message }, closed),
  Type.Object({ provider: Type.Literal("telegram"), chats: Destinations, botToken: SecretName, message }, closed),
  Type.Object({ provider: Type.Literal("discord"), channels: Destinations, botToken: SecretName, message }, closed),
  Type.Object(
    {
      ...{ provider: Type.Literal("whatsapp"), recipients: Destinations, accessToken: SecretName, phoneNumberId: text },
      ...{ template: text, language: text, message },
    },
    closed,
  ),
  Type.Object({ provider: Type.Literal("custom"), script: Script, reusable: Reusable, message }, closed),
]);
export type Notice = Static<typeof Notice>;
