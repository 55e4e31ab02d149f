import { asRunId, asTenantId, type RunKey } from "./id.ts";

/** An approval that a token speaks of. */
export type ApprovalKey = RunKey & { readonly site: string };
/** HMAC-SHA256 in hex under a run's seed, over a label: what nobody can guess and every engine and control derives again. */
export type Derive = (seed: string, label: string) => string;

/** How long a token decides, from when its approval was requested. */
export const APPROVAL_TOKEN_MS = 86_400_000;

/**
 * `apr_<base64url of tenant.run.site>.<64 hex digits>`: whoever has it may decide this approval, once. It is derived from the run's seed and
 * stored nowhere; it belongs in the notice that asks for the decision, and in no log, span or view.
 */
export function approvalToken(key: ApprovalKey, seed: string, derive: Derive): string {
  return `apr_${encoded(`${key.tenant}.${key.run}.${key.site}`)}.${tokenSecret(key, seed, derive)}`;
}

/** The part of a token that proves it. Compared in constant time. */
export const tokenSecret = ({ site }: ApprovalKey, seed: string, derive: Derive): string => derive(seed, `approval ${site}`);

/** Of which approval a text says to be the token, and by what secret; null for a text that is none. */
export function parseApprovalToken(text: string): (ApprovalKey & { readonly secret: string }) | null {
  const [, name = "", secret = ""] = TOKEN.exec(text) ?? [];
  const [, tenant = "", run = "", site = ""] = KEY.exec(decoded(name)) ?? [];
  if (site === "" || encoded(`${tenant}.${run}.${site}`) !== name) return null;
  return { tenant: asTenantId(tenant), run: asRunId(run), site, secret };
}

const TOKEN = /^apr_([\w-]{1,1000})\.([0-9a-f]{64})$/;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const KEY = new RegExp(`^(${UUID})\\.(${UUID})\\.([!-~]+)$`);
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** base64url (RFC 4648) of a text of ASCII. */
function encoded(text: string): string {
  let [out, bits, held] = ["", 0, 0];
  for (let at = 0; at < text.length; at++) {
    held = (held << 8) | (text.charCodeAt(at) & 0xff);
    for (bits += 8; bits >= 6; bits -= 6) out += DIGITS[(held >> (bits - 6)) & 63];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? out : out + DIGITS[(held << (6 - bits)) & 63];
}

function decoded(text: string): string {
  let [out, bits, held] = ["", 0, 0];
  for (const digit of text) {
    held = (held << 6) | DIGITS.indexOf(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += String.fromCharCode((held >> bits) & 0xff);
    held &= (1 << bits) - 1;
  }
  return out;
}
