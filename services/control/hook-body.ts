// Bodies of whoever posts to a door: bounded while they come, and read only when there is a place for what they hold.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { ApiError } from "./errors.ts";
import { openGate } from "./gate.ts";
import { HOOK_BODIES, HOOK_BODY_BYTES, HOOK_BODY_MS, HOOKS_AT_ONCE } from "./limits.ts";

/** So much is read before there is a place for it, of HOOKS_AT_ONCE at most: who sends little is kept waiting by nobody's slowness. */
const AHEAD_BYTES = 16 * 1024;

/** A request whose body is wanted, and whose door it is at. */
export interface Sent {
  readonly who: string;
  readonly request: IncomingMessage;
}

/** Who is at one door, and what they send: each has a place while it is read, and while it is made use of. */
export class Bodies {
  /** For those that still have to come. */
  readonly #coming = openGate(HOOK_BODIES);
  /** For those that have come: whoever is slow has no place here. */
  readonly #come = openGate(HOOK_BODIES);
  #present = 0;

  /** Lets in, whatever it waits for, while there are not too many. Rejects with WOML_OVERLOADED before anything was done. */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#present >= HOOKS_AT_ONCE) throw crowded();
    this.#present += 1;
    return work().finally(() => {
      this.#present -= 1;
    });
  }

  /** Works with the bytes. Rejects as `readHookBody` does, and with WOML_OVERLOADED. */
  async run<T>({ who, request }: Sent, work: (bytes: Buffer) => Promise<T>): Promise<T> {
    const declared = request.headers["content-length"];
    const ahead = Number(declared) <= AHEAD_BYTES ? await readHookBody(request, declared) : null;
    const places = ahead === null ? this.#coming : this.#come;
    return places.run({ who, bytes: 0 }, async () => work(ahead ?? (await readHookBody(request, declared))));
  }
}

const crowded = (): ApiError =>
  new ApiError("WOML_OVERLOADED", "too many at once; nothing was done: send it again in a moment", { retryAfterMs: 1_000 });

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
  // Who went away while waiting for a place has said so to nobody.
  if (body.destroyed) broken();
  if (Number(declared ?? 0) > HOOK_BODY_BYTES) stop(tooLarge());
  return promise;
}

const invalid = (message: string): ApiError => new ApiError("WOML_TRIGGER_PAYLOAD_INVALID", message);

export function tooLarge(): ApiError {
  const message = `a body has at most ${HOOK_BODY_BYTES} bytes`;
  return new ApiError("WOML_TRIGGER_PAYLOAD_TOO_LARGE", message, { limit: HOOK_BODY_BYTES });
}
