import { type Static, type TSchema, Type } from "typebox";
import { distinct } from "./distinct.ts";
import { LocalId } from "./identifier.ts";
import { SecretName } from "./use.ts";
import type { Json } from "./value.ts";

const trigger = <K extends string, P extends Record<string, TSchema>>(kind: K, properties: P) =>
  Type.Object({ id: LocalId, kind: Type.Literal(kind), ...properties }, { additionalProperties: false });

const texts = distinct(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }));
const onMissed = Type.Union([Type.Literal("skip"), Type.Literal("run-once")]);
/** JSON Schema 2020-12 of the payload, as the author wrote it. */
const schema = Type.Optional(Type.Unsafe<{ readonly [key: string]: Json }>(Type.Object({})));

const ManualTrigger = trigger("manual", {});
/** `POST path`; with a secret, only for who knows it (bearer). */
const WebhookTrigger = trigger("webhook", {
  path: Type.String({ pattern: "^/", maxLength: 2_048 }),
  secret: Type.Optional(SecretName),
  schema,
});
/** `cron`: five fields of the language's dialect, evaluated in `timezone` (an IANA name). */
const ScheduleTrigger = trigger("schedule", {
  cron: Type.String({ maxLength: 256 }),
  timezone: Type.String({ minLength: 1 }),
  onMissed,
});
const IntervalTrigger = trigger("interval", { everyMs: Type.Integer({ minimum: 1_000, maximum: 30 * 86_400_000 }), onMissed });
/** `<event>` in the language. With a secret it may be sent from outside too. */
const SignalTrigger = trigger("signal", { name: Type.String({ maxLength: 256 }), secret: Type.Optional(SecretName), schema });
const SlackTrigger = trigger("slack", { events: texts, channels: Type.Optional(texts), botToken: SecretName, appToken: SecretName });
const TelegramTrigger = trigger("telegram", { events: texts, botToken: SecretName });
const DiscordTrigger = trigger("discord", { events: texts, channels: Type.Optional(texts), botToken: SecretName });
const WhatsappTrigger = trigger("whatsapp", {
  events: texts,
  phoneNumberId: Type.String(),
  verifyToken: SecretName,
  appSecret: SecretName,
});

/** What may start a run. */
export const Trigger = Type.Union([
  ManualTrigger,
  WebhookTrigger,
  ScheduleTrigger,
  IntervalTrigger,
  SignalTrigger,
  SlackTrigger,
  TelegramTrigger,
  DiscordTrigger,
  WhatsappTrigger,
]);
export type Trigger = Static<typeof Trigger>;
export type ScheduleTrigger = Static<typeof ScheduleTrigger>;
export type IntervalTrigger = Static<typeof IntervalTrigger>;
