import { type TSchema, Type } from "typebox";
import { Check, Errors } from "typebox/schema";
import { copied } from "./judge.ts";
import type { Trigger } from "./trigger.ts";
import { TriggerSetting, Verification } from "./trigger-setting.ts";
import type { Json } from "./value.ts";
import { pointer, type Violation } from "./violation.ts";

/** One thing wrong with a setting; `path` is a JSON pointer (RFC 6901) into it. */
export type SettingFault = Pick<Violation, "path" | "message">;
export type AcceptedSetting = { readonly setting: TriggerSetting } | { readonly faults: readonly SettingFault[] };

/** To which kinds of triggers each member belongs. */
const KINDS: Readonly<Record<keyof TriggerSetting, readonly Trigger["kind"][]>> = {
  verification: ["webhook"],
  repeatedHour: ["schedule"],
  catchUp: ["schedule", "interval"],
};
const MEMBERS = Object.keys(KINDS) as (keyof TriggerSetting)[];

/** Judges what is to be set for a trigger of that kind. What is accepted is a copy that shares nothing with `value`. Never throws. */
export function acceptSetting(value: unknown, kind: Trigger["kind"]): AcceptedSetting {
  const copy = copied(value);
  if ("violations" in copy) return { faults: copy.violations.map(({ path, message }) => ({ path, message })) };
  const faults = [...shapeFaults(copy.value), ...kindFaults(copy.value, kind)];
  return faults.length > 0 ? { faults } : { setting: copy.value as Json & TriggerSetting };
}

const closed = { additionalProperties: false };
/** A setting whose verification is judged by itself, as the variant that its scheme names. */
const Envelope = Type.Object({ ...TriggerSetting.properties, verification: Type.Optional(Type.Unknown()) }, closed);

/** What a union says of itself; what its variants say is noise beside it. */
const UNIONS: Readonly<Record<string, string>> = {
  "/verification/algorithm": "must be sha1, sha256, sha384 or sha512",
  "/verification/encoding": "must be hex, base64 or base64url",
  "/repeatedHour": "must be each or once",
};
const SCHEMELESS = "must be an object with a scheme: standard, github, stripe, slack or hmac";

function* shapeFaults(value: Json): Generator<SettingFault> {
  if (Check(TriggerSetting, value)) return;
  let found = false;
  for (const fault of [...errorsOf(Envelope, value, ""), ...verificationFaults(value)]) {
    found = true;
    yield fault;
  }
  if (!found) yield { path: "", message: "is not a setting" };
}

function verificationFaults(value: Json): readonly SettingFault[] {
  if (value === null || typeof value !== "object" || !("verification" in value)) return [];
  const { verification } = value;
  const path = "/verification";
  if (verification === null || typeof verification !== "object" || !("scheme" in verification)) return [{ path, message: SCHEMELESS }];
  const meant = Verification.anyOf.find(({ properties }) => Check(properties.scheme, verification["scheme"]));
  return meant === undefined ? [{ path, message: SCHEMELESS }] : errorsOf(meant, verification, path);
}

function errorsOf(schema: TSchema, value: Json, at: string): readonly SettingFault[] {
  const own = Errors(schema, value)[1].filter(
    ({ keyword, schemaPath }) => keyword !== "additionalProperties" && !schemaPath.includes("/anyOf/"),
  );
  return own.map(({ instancePath, keyword, message }) => {
    const path = at + instancePath;
    if (keyword === "boolean") return { path, message: "unknown property" };
    return { path, message: (keyword === "anyOf" ? UNIONS[path] : undefined) ?? message };
  });
}

function kindFaults(value: Json, kind: Trigger["kind"]): readonly SettingFault[] {
  if (value === null || typeof value !== "object") return [];
  return MEMBERS.filter((member) => Object.hasOwn(value, member) && !KINDS[member].includes(kind)).map((member) => ({
    path: pointer(member),
    message: `belongs to triggers of kind ${KINDS[member].join(" or ")}; this one is ${kind}`,
  }));
}
