import { type Static, Type } from "typebox";
import { distinct } from "./distinct.ts";
import { SecretName } from "./use.ts";

const closed = { additionalProperties: false };
/** Several are for a change of secrets: what one of them signed is taken. */
const secrets = distinct(Type.Array(SecretName, { minItems: 1, maxItems: 8 }));
/** As HTTP has them (RFC 9110, 5.1). */
const Header = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$" });

/**
 * How whoever posts to a webhook is verified, over the bytes that came and before anything of them is read. `standard` is Standard Webhooks;
 * `github`, `stripe` and `slack` are what these send. `hmac`: the header holds `prefix` and the HMAC of the body. A timestamp may be 300 s off.
 */
export const Verification = Type.Union([
  Type.Object(
    { scheme: Type.Union([Type.Literal("standard"), Type.Literal("github"), Type.Literal("stripe"), Type.Literal("slack")]), secrets },
    closed,
  ),
  Type.Object(
    {
      scheme: Type.Literal("hmac"),
      header: Header,
      algorithm: Type.Union([Type.Literal("sha1"), Type.Literal("sha256"), Type.Literal("sha384"), Type.Literal("sha512")]),
      encoding: Type.Union([Type.Literal("hex"), Type.Literal("base64"), Type.Literal("base64url")]),
      prefix: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      /** The header that names the delivery, so that a second one of it is known. */
      deliveryHeader: Type.Optional(Header),
      secrets,
    },
    closed,
  ),
]);
export type Verification = Static<typeof Verification>;

/**
 * What is set for a trigger where it runs, whatever its version. `repeatedHour`: where clocks go back a wall time comes twice; `each` fires at both and
 * skips a wall time that does not come (the language's rule), `once` fires at the first alone, and after a skipped hour at the first minute there is.
 * `catchUp`: of slots that nobody was there for so many of the latest are run, each by itself, instead of what `on-missed` says.
 */
export const TriggerSetting = Type.Object(
  {
    verification: Type.Optional(Verification),
    repeatedHour: Type.Optional(Type.Union([Type.Literal("each"), Type.Literal("once")])),
    catchUp: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  },
  closed,
);
export type TriggerSetting = Static<typeof TriggerSetting>;
