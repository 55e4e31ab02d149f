// Bodies of whoever posts to a door: bounded while they come, and read only when there is a place for what they hold.
import type { Readable } from "node:stream";
import { ApiError } from "./errors.ts";
import { HOOK_BODY_BYTES, HOOK_BODY_MS } from "./limits.ts";

/** The bytes as they came. Rejects with a code of the door's; what still comes then is thrown away. */
export function readHookBody(body: Readable, declared: string | undefined): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let [bytes, isOver] = [0, false];
  const stop = (error: ApiError): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    chunks.length = 0;
    body.resume();
    reject(error);
  };
  const late = setTimeout(() => stop(invalid(`the body did not come within ${HOOK_BODY_MS} ms`)), HOOK_BODY_MS);
  body.on("data", (chunk: Buffer) => {
    if (isOver) return;
    bytes += chunk.length;
    if (bytes > HOOK_BODY_BYTES) return stop(tooLarge());
    chunks.push(chunk);
  });
  body.on("end", () => {
    clearTimeout(late);
    resolve(Buffer.concat(chunks));
  });
  const broken = (): void => stop(invalid("the body ended before all of it had come"));
  body.on("error", broken);
  body.on("close", broken);
  if (Number(declared ?? 0) > HOOK_BODY_BYTES) stop(tooLarge());
  return promise;
}

const invalid = (message: string): ApiError => new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", message);

export function tooLarge(): ApiError {
  const message = `a body has at most ${HOOK_BODY_BYTES} bytes`;
  return new ApiError("WOML_TRIGGER_PAYLOAD_TOO_LARGE", message, { limit: HOOK_BODY_BYTES });
}
