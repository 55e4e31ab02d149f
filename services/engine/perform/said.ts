import { type Json, parseJson } from "@woml/model";
import type { Found, Performed } from "@woml/plugin-host";
import type { OperationFailure } from "@woml/run";
import { OPERATION_BYTES } from "../bounds.ts";
import type { Said } from "../decide/command.ts";

/** What the host says of a dispatch that it had taken. A result that cannot be read is no proof of anything: ambiguous. */
export function saidOfDispatch(performed: Exclude<Performed, { readonly status: "refused" }>): Said {
  switch (performed.status) {
    case "succeeded":
      return succeeded(performed.result, performed.evidence) ?? { status: "ambiguous", failure: unreadable };
    case "failed": {
      const { code, message, retryable, evidence } = performed;
      return { status: "failed", failure: { code, message: clean(message), retryable, ambiguous: false }, evidence: clean(evidence) };
    }
    case "ambiguous":
      return {
        status: "ambiguous",
        failure: { code: performed.code, message: clean(performed.message), retryable: false, ambiguous: true },
      };
    default:
      return performed satisfies never;
  }
}

/** What the provider answers when it is asked. `retryable` are the codes that a later attempt may cure. */
export function saidOfProvider(found: Exclude<Found, { readonly status: "refused" | "not_found" }>, retryable: readonly string[]): Said {
  switch (found.status) {
    case "succeeded":
      return succeeded(found.result, "The provider was asked, and says that it was done.") ?? cannotTell(unreadable.message);
    case "failed": {
      const failure = { code: found.code, message: clean(found.message), retryable: retryable.includes(found.code), ambiguous: false };
      return { status: "failed", failure, evidence: "The provider was asked, and says that it was refused." };
    }
    case "pending":
      return { status: "pending", askAgainMs: found.askAgainMs };
    case "unknown":
      return cannotTell(found.message);
    default:
      return found satisfies never;
  }
}

export function cannotTell(detail: string): Said {
  return { status: "cannot_tell", detail: clean(detail) };
}

const unreadable: OperationFailure = {
  code: "WOML_PLUGIN_RESULT_INVALID",
  message: "The result cannot be read or kept.",
  retryable: false,
  ambiguous: true,
};

function succeeded(text: string, evidence: string): Said | null {
  const parsed = parseJson(text, { bytes: OPERATION_BYTES });
  return "value" in parsed ? { status: "succeeded", result: parsed.value satisfies Json, evidence: clean(evidence) } : null;
}

/** Texts go into the log, which takes neither U+0000 nor half a character. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}
