import { ApiError } from "./errors.ts";

/** Nothing that was packed is unpacked here: a few bytes may stand for gigabytes, and a signature is over what came. Throws with 415. */
export function refuseEncoded(encoding: string | null): void {
  if (encoding === null || /^[ \t]*(?:identity[ \t]*)?$/i.test(encoding)) return;
  const message = "send the body as it is, without `content-encoding`: what was packed is not unpacked here";
  throw new ApiError("WOML_CONTENT_ENCODING_UNSUPPORTED", message);
}
