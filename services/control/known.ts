import type { FastifyRequest } from "fastify";
import { ApiError } from "./errors.ts";

/** Fastify's own refusals in our codes. Whoever goes away while we read is no fault of ours, and hears no answer. */
export function known(error: unknown, { raw }: FastifyRequest): unknown {
  if (raw.destroyed && !raw.complete) return new ApiError("WOML_BODY_INVALID", "the body ended before all of it had come");
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new ApiError("WOML_CONTENT_TYPE_UNSUPPORTED", "send `content-type: application/json`");
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return new ApiError("WOML_BODY_TOO_LARGE", "the body is longer than is taken here");
  if (typeof code === "string" && code.startsWith("FST_ERR_CTP_")) return new ApiError("WOML_BODY_INVALID", "the body cannot be read");
  return error;
}
