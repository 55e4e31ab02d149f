import { Client, type Dispatcher } from "undici";
import { Loss } from "./answer.ts";
import type { Wire } from "./compose.ts";
import type { Connected } from "./dial.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly body: Buffer;
}
/** Set before the first byte of a request may be written, and never taken back. */
export interface Progress {
  left: boolean;
}
interface Exchange {
  readonly connected: Connected;
  readonly origin: string;
  readonly wire: Wire;
  readonly maxBytes: number;
  readonly progress: Progress;
  /** Asked in the turn that writes: why nothing more may leave, or null. */
  readonly late: () => Loss | null;
  readonly signal: AbortSignal;
}
const HEAD_BYTES = 32_768;

/** One request on one connection that nobody used before and nobody will use again: so it cannot be sent twice. */
export async function exchange({ connected, origin, wire, maxBytes, progress, late, signal }: Exchange): Promise<Answer> {
  const { socket, takeBack } = connected;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // Where nobody waits for it any more, it may end as it likes.
  promise.catch(() => undefined);
  let given = false;
  const client = new Client(origin, {
    // Not at once: undici does not see a connection that comes while it asks for one.
    connect: (_options, callback) =>
      queueMicrotask(() => {
        const gone = given || socket.destroyed;
        given = true;
        if (gone) callback(new Error("The connection is gone."), null);
        else callback(null, socket);
      }),
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: HEAD_BYTES,
  });
  // The socket ends first: undici may still write while it comes to an end.
  const end = (reason: unknown): void => {
    takeBack();
    reject(reason);
  };
  const onAbort = (): void => end(signal.reason);
  const onClose = (): unknown => setImmediate(() => end(lost("the connection ended")));
  const chunks: Buffer[] = [];
  let bytes = 0;
  let head: Omit<Answer, "body"> | null = null;
  signal.addEventListener("abort", onAbort, { once: true });
  socket.once("close", onClose);
  const handler: Dispatcher.DispatchHandler = {
    // What this says undici obeys before it writes.
    onRequestStart: (controller) => {
      const loss = late();
      if (loss === null) progress.left = true;
      else {
        end(loss);
        controller.abort(loss);
      }
    },
    onResponseStart: (_controller, status, headers) => {
      head = { status, headers: flat(headers) };
      // HEAD and 304 announce a body that does not come.
      const comes = wire.method !== "HEAD" && status !== 304;
      if (comes && Number(headers["content-length"] ?? 0) > maxBytes) end(tooLarge(maxBytes));
    },
    onResponseData: (_controller, chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) end(tooLarge(maxBytes));
      else chunks.push(Buffer.from(chunk));
    },
    onResponseEnd: () => {
      if (head === null) end(lost("no answer came"));
      else resolve({ ...head, body: Buffer.concat(chunks) });
    },
    onResponseError: (_controller, error) => end(lossOf(error)),
  };
  try {
    if (signal.aborted) onAbort();
    else if (socket.destroyed) end(new Loss("WOML_EGRESS_CONNECT_FAILED", "The connection ended before it was used."));
    else client.dispatch({ ...sent(wire), reset: true }, handler);
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
    client.destroy().catch(() => undefined);
  }
}

function sent({ method, path, headers, body }: Wire): Dispatcher.DispatchOptions {
  return { method, path, headers: Object.fromEntries(headers), body };
}

function flat(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Map<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    // A name that means something to JavaScript is no header of anybody's, and frames refuse it.
    if (value === undefined || name === "__proto__") continue;
    all.set(name.toLowerCase(), typeof value === "string" ? value : value.join(", "));
  }
  return all;
}

export function tooLarge(maxBytes: number): Loss {
  return new Loss("WOML_EGRESS_ANSWER_TOO_LARGE", `The answer is larger than ${maxBytes} bytes.`);
}

function lost(why: string): Loss {
  return new Loss("WOML_EGRESS_ANSWER_LOST", `No whole answer came: ${why}.`);
}

function lossOf(error: Error): Loss {
  if ("code" in error && error.code === "UND_ERR_HEADERS_OVERFLOW") return tooLarge(HEAD_BYTES);
  // A head that was cut off and one that is not HTTP look the same from here.
  return lost(error.name === "HTTPParserError" ? "what came is not HTTP" : "the connection ended");
}
