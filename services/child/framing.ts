import type { Duplex } from "node:stream";
import { FrameFault } from "./strict.ts";

const HEADER = 4;

/** Throws FrameFault where the frame is larger than `maxBytes`. */
export function encode(frame: object, maxBytes: number): Buffer {
  const text = JSON.stringify(frame);
  const length = Buffer.byteLength(text);
  if (length > maxBytes) throw new FrameFault(`A frame of ${length} bytes, limit ${maxBytes}.`);
  const bytes = Buffer.allocUnsafe(HEADER + length);
  bytes.writeUInt32BE(length, 0);
  bytes.write(text, HEADER);
  return bytes;
}

/** Cuts a byte stream into frames. A length beyond the bound is refused before a byte of it is kept. */
export class FrameReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #maxBytes: number;
  readonly #takesBeats: boolean;
  #pieces: Buffer[] = [];
  #held = 0;
  #wanted = HEADER;

  constructor(maxBytes: number, takesBeats = false) {
    this.#maxBytes = maxBytes;
    this.#takesBeats = takesBeats;
  }

  /** Every value completed by this chunk, parsed as JSON and no further. Throws FrameFault; the stream is then lost. */
  push(chunk: Buffer): readonly unknown[] {
    const values: unknown[] = [];
    this.#pieces.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= this.#wanted) {
      const bytes = this.#joined();
      const length = bytes.readUInt32BE(0);
      if (length > this.#maxBytes) throw new FrameFault(`A frame of ${length} bytes, limit ${this.#maxBytes}.`);
      this.#wanted = HEADER + length;
      if (bytes.length < this.#wanted) break;
      if (length > 0 || !this.#takesBeats) values.push(this.#decode(bytes.subarray(HEADER, this.#wanted)));
      this.#keep(bytes.subarray(this.#wanted));
    }
    return values;
  }

  #joined(): Buffer {
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [bytes];
    return bytes;
  }
  #keep(rest: Buffer): void {
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
    this.#wanted = HEADER;
  }
  #decode(bytes: Buffer): unknown {
    try {
      return JSON.parse(this.#decoder.decode(bytes));
    } catch {
      throw new FrameFault("A frame is not JSON in UTF-8.");
    }
  }
}

/** Frames of one kind out, of another kind in. Frames sent in one turn leave in one write. */
export interface Wire<Out extends object> {
  send(frame: Out): void;
  /** Bytes that were sent and that the other side has not taken yet. */
  readonly unsent: number;
  /** Closes it at once; what the other side has not taken is lost. */
  end(): void;
  /** Lets what was sent arrive and closes then, `withinMs` at the latest. Nothing more is sent or heard. Resolves when it is closed. */
  finish(withinMs: number): Promise<void>;
}
export interface Ear<In> {
  /** Of one frame's JSON, both ways; 4 bytes of length go before it. */
  readonly maxBytes: number;
  /** An empty frame says that the other side is alive, and nothing else. Without this it is a fault. */
  readonly takesBeats?: boolean;
  readonly parse: (value: unknown) => In;
  readonly heard: (frame: In) => void;
  /** Once, however the stream ended; a fault is what the other side did wrong. */
  readonly closed: (fault: FrameFault | undefined) => void;
}

export function openWire<Out extends object, In>(stream: Duplex, ear: Ear<In>): Wire<Out> {
  const reader = new FrameReader(ear.maxBytes, ear.takesBeats);
  const gone = Promise.withResolvers<void>();
  let over = false;
  let leaving = false;
  let corked = false;
  const close = (fault?: FrameFault): void => {
    if (over) return;
    over = true;
    stream.destroy();
    gone.resolve();
    ear.closed(fault);
  };
  stream.on("data", (chunk: Buffer) => {
    if (leaving) return;
    try {
      for (const value of reader.push(chunk)) if (!over && !leaving) ear.heard(ear.parse(value));
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      close(error);
    }
  });
  stream.on("error", () => close());
  stream.on("end", () => close());
  stream.on("close", () => close());
  const uncork = (): void => {
    corked = false;
    stream.uncork();
  };
  return {
    send: (frame) => {
      if (over || leaving) return;
      if (!corked) {
        corked = true;
        stream.cork();
        queueMicrotask(uncork);
      }
      stream.write(encode(frame, ear.maxBytes));
    },
    end: () => close(),
    finish: (withinMs) => {
      leaving = true;
      // Reading goes on until the other side closes: a socket that is closed with bytes unread takes back what it has sent.
      if (!over) stream.end();
      const timer = setTimeout(close, withinMs);
      return gone.promise.finally(() => clearTimeout(timer));
    },
    get unsent() {
      return stream.writableLength;
    },
  };
}
