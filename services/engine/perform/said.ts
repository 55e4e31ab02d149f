import { type Json, parseJson } from "@woml/model";
import type { Found, Performed } from "@woml/plugin-host";
import type { Called } from "@woml/run";
import { OPERATION_BYTES } from "../bounds.ts";
import type { Said } from "../decide/command.ts";

/**
 * What the host says of a dispatch that it had taken. A result that cannot be kept is no proof of anything: ambiguous; where nothing was to be
 * done it is a failure, for the same would be read again.
 */
export function saidOfDispatch(performed: Exclude<Performed, { readonly status: "refused" }>, effect: Called["effect"]["class"]): Said {
  switch (performed.status) {
    case "succeeded": {
      const said = succeeded(performed.result, performed.evidence);
      if ("status" in said) return said;
      const failure = { code: "WOML_PLUGIN_RESULT_INVALID", message: said.fault };
      if (effect !== "pure") return { status: "ambiguous", failure: { ...failure, retryable: false, ambiguous: true } };
      return { status: "failed", failure: { ...failure, retryable: true, ambiguous: false }, evidence: clean(performed.evidence) };
    }
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
    case "succeeded": {
      const said = succeeded(found.result, "The provider was asked, and says that it was done.");
      return "status" in said ? said : cannotTell(said.fault);
    }
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

function succeeded(text: string, evidence: string): Said | { readonly fault: string } {
  const parsed = parseJson(text, { bytes: OPERATION_BYTES });
  if ("value" in parsed) return { status: "succeeded", result: parsed.value satisfies Json, evidence: clean(evidence) };
  const { path, message } = parsed.error;
  return { fault: clean(`The result cannot be kept: ${path === "" ? "" : `${path}: `}${message}.`) };
}

/** Texts go into the log, which takes neither U+0000 nor half a character. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}
