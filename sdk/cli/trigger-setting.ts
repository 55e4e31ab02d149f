import type { Json } from "@woml/model";
import { usage } from "./exit.ts";

export interface SettingOptions {
  readonly verify?: "standard" | "github" | "stripe" | "slack" | "hmac" | "none";
  readonly secret?: readonly string[];
  readonly header?: string;
  readonly algorithm?: string;
  readonly encoding?: string;
  readonly prefix?: string;
  readonly deliveryHeader?: string;
  readonly repeatedHour?: string;
  readonly catchUp?: string;
  readonly clear?: boolean;
}
const OF_VERIFY = ["secret", "header", "algorithm", "encoding", "prefix", "deliveryHeader"] as const;

/** What was set, with what is asked for in its place; null where nothing is left. The platform judges it. */
export function settingOf(options: SettingOptions, before: Json): Json {
  const { verify, repeatedHour, catchUp, clear } = options;
  const named = [verify, repeatedHour, catchUp, ...OF_VERIFY.map((name) => options[name])].some((value) => value !== undefined);
  if (clear) {
    if (named) throw usage("--clear takes back all that was set: give it alone.");
    return null;
  }
  if (!named) throw usage("Say what to set: --verify, --repeated-hour or --catch-up; or --clear.");
  const { verification, ...kept } = (before ?? {}) as { readonly [key: string]: Json };
  const verified = verify === undefined ? verification : verificationOf(verify, options);
  if (verify === undefined && OF_VERIFY.some((name) => options[name] !== undefined))
    throw usage("--secret and what belongs to a signature need --verify.");
  const setting = {
    ...kept,
    ...(repeatedHour !== undefined && { repeatedHour }),
    ...(catchUp !== undefined && { catchUp: whole(catchUp) }),
    ...(verified !== undefined && { verification: verified }),
  };
  return Object.keys(setting).length === 0 ? null : setting;
}

function verificationOf(scheme: NonNullable<SettingOptions["verify"]>, options: SettingOptions): Json | undefined {
  const given = OF_VERIFY.filter((name) => options[name] !== undefined);
  if (scheme === "none") {
    if (given.length > 0) throw usage("--verify none takes no secret and no header.");
    return undefined;
  }
  const { secret: secrets = [], header, algorithm, encoding, prefix, deliveryHeader } = options;
  if (secrets.length === 0) throw usage("Say with which secret: --secret NAME, by its name and not its value.");
  if (scheme !== "hmac") {
    if (given.length > 1) throw usage(`--verify ${scheme} knows its headers: give --secret alone.`);
    return { scheme, secrets };
  }
  if (header === undefined) throw usage("--verify hmac needs --header, the one with the signature.");
  const optional = { ...(prefix !== undefined && { prefix }), ...(deliveryHeader !== undefined && { deliveryHeader }) };
  return { scheme, header, algorithm: algorithm ?? "sha256", encoding: encoding ?? "hex", ...optional, secrets };
}

function whole(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= 1000) return number;
  throw usage(`--catch-up is "${text}"; it is a number of 1 to 1000.`);
}
