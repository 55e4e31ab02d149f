import { type Static, Type } from "typebox";
import { CAPABILITY_ID, LONGEST_ID } from "./capability-id.ts";
import { Contract } from "./contract-number.ts";

const closed = { additionalProperties: false };

/** First-party ids are one word (`http`), others at least two with a dot between (`acme.payments`). */
const CapabilityId = Type.String({ pattern: CAPABILITY_ID, maxLength: LONGEST_ID });
/** The name under which scripts call a capability: `services.<alias>`. */
const Alias = Type.String({ pattern: "^[A-Za-z_$][A-Za-z0-9_$]{0,63}$" });
/** What a script calls: `<alias>.<operation>`. */
export const CallName = Type.String({ pattern: "^[A-Za-z_$][A-Za-z0-9_$]{0,63}\\.[a-z][A-Za-z0-9]{0,63}$" });
export const SecretName = Type.String({ pattern: "^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,127}$" });

/**
 * A capability that scripts of the definition may call. `range` is what the author asked for (semver); `bound` is the one release that
 * `publish` chose for it, by version and by the digest of artefact and manifest. A run keeps it for life; what is not bound cannot be called.
 */
export const Use = Type.Object(
  {
    alias: Alias,
    capability: CapabilityId,
    range: Type.String({ minLength: 1, maxLength: 64 }),
    bound: Type.Optional(
      Type.Object(
        { version: Type.String({ minLength: 1, maxLength: 64 }), release: Type.String({ pattern: "^sha256:[0-9a-f]{64}$" }) },
        closed,
      ),
    ),
    contract: Contract,
  },
  closed,
);
export type Use = Static<typeof Use>;
