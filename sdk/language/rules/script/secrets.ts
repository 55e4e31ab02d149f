import type { Remark } from "../../diagnostic.ts";
import type { Access, Misuse } from "../../script/access.ts";
import { scriptRule } from "../../script/remarks.ts";
import { isLongSecret } from "../../secret.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const MOST_SECRETS = 64;
const SECRET = /^[A-Z][A-Z0-9_]{0,127}$/;
const HINT = "Name the secret where it is needed: secrets.API_KEY.";

const MISUSE: Readonly<Record<Misuse, Remark>> = {
  value: {
    code: "WOML_SCRIPT_SECRET_ACCESS_UNSUPPORTED",
    message: "A script names single secrets, and may not pass all on.",
    hint: HINT,
  },
  dynamic: {
    code: "WOML_SCRIPT_SECRET_ACCESS_DYNAMIC",
    message: "The name of a secret must be written out, with a dot.",
    hint: HINT,
  },
  write: {
    code: "WOML_SCRIPT_SECRET_WRITE_UNSUPPORTED",
    message: "A script may not write to secrets.",
    hint: "Take a variable of your own.",
  },
};
const FORBIDDEN: Remark = {
  code: "WOML_REUSABLE_SECRET_ACCESS_FORBIDDEN",
  message: "A reusable definition names no secrets: whoever uses it does.",
  hint: 'Declare <prop name="api-key" secret="true" />, and read props.apiKey.',
};
const TOO_MANY: Remark = {
  code: "WOML_SCRIPT_SECRET_LIMIT_EXCEEDED",
  message: `A script names at most ${MOST_SECRETS} different secrets.`,
  hint: "Split the step.",
};

/** Secrets are named so that a reader can tell which; a reusable definition names none. */
export const secrets: Rule = scriptRule(({ reading: { accesses, shift, ...reading }, kind, say }) => {
  for (const access of accesses.secrets) {
    const remark = kind.secrets ? remarkOn(access) : FORBIDDEN;
    if (remark) say(access.node, remark);
  }
  const [surplus] = [...reading.secrets.values()].slice(MOST_SECRETS);
  if (surplus && kind.secrets) say({ start: surplus.start + shift, end: surplus.end + shift }, TOO_MANY);
});

function remarkOn({ path: [name], misuse }: Access): Remark | null {
  if (misuse) return MISUSE[misuse];
  if (name === undefined || SECRET.test(name)) return null;
  const message = `${quoted(name)} is no name of a secret.`;
  const hint = "Upper case, digits and underscores, at most 128: API_KEY.";
  return { code: "WOML_SCRIPT_SECRET_NAME_INVALID", message, hint, ...(isLongSecret(`{{secrets.${name}}}`) && { own: true }) };
}
