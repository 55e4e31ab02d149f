import { ApiError } from "./errors.ts";
import { printable } from "./printable.ts";

const REASON = printable(1_024);

/** What a person says for others to read. */
export function acceptReason(text: string, path: string): string {
  if (REASON.test(text)) return text;
  throw new ApiError("WOML_REASON_INVALID", "this has to be 1 to 1,024 printable characters", { path });
}
