import { connect } from "node:net";
import { openWire, type Wire } from "./framing.ts";

const FIRST_WAIT_MS = 10_000;
const RETRY_MS = [20, 50, 100, 250] as const;

/** What both sides say first. */
interface Hello {
  readonly frame: "hello";
  readonly protocol: number;
}
/** The other end: a supervisor behind a Unix socket, that says `hello` with its protocol's number before anything else. */
export interface OtherEnd<Out extends { readonly frame: string }, In extends { readonly frame: string }> {
  readonly path: string;
  /** As messages call it: "No … answers". */
  readonly name: string;
  readonly protocol: number;
  readonly maxBytes: number;
  readonly parse: (value: unknown) => In;
  /** It is there, from its first frame on and after each restart; what is sent from here on reaches it. */
  readonly met: (hello: Extract<In, Hello>) => void;
  /** `answer` sends to the very process that said it: nothing of it reaches one that was started since. */
  readonly heard: (frame: Exclude<In, Hello>, answer: (frame: Out) => void) => void;
  /** It was there and is not any more; until it is met again nothing is sent. */
  readonly lost: () => void;
}

/** A connection that is made anew whenever the other end was restarted. */
export class Line<Out extends { readonly frame: string }, In extends { readonly frame: string }> {
  readonly #end: OtherEnd<Out, In>;
  readonly #first = Promise.withResolvers<void>();
  #wire: Wire<Out | Hello> | undefined;
  #isClosed = false;
  #tries = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(end: OtherEnd<Out, In>) {
    this.#end = end;
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#wire !== undefined;
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }
  /** Resolves when the other end was met. Rejects, and closes, when there is none within ten seconds or it speaks another protocol. */
  async opened(): Promise<void> {
    const timer = setTimeout(() => this.#first.reject(new Error(`No ${this.#end.name} answers at ${this.#end.path}.`)), FIRST_WAIT_MS);
    try {
      await this.#first.promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
  /** Nothing, while the other end is not there. */
  send(frame: Out): void {
    this.#wire?.send(frame);
  }
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#wire?.end();
    this.#wire = undefined;
  }

  #connect(): void {
    const { path, maxBytes, parse, protocol } = this.#end;
    const wire: Wire<Out | Hello> = openWire<Out | Hello, In>(connect(path), {
      maxBytes,
      parse,
      heard: (frame) => this.#heard(wire, frame),
      closed: () => this.#closed(wire),
    });
    wire.send({ frame: "hello", protocol });
  }
  #closed(wire: Wire<Out | Hello>): void {
    if (this.#wire === wire) {
      this.#wire = undefined;
      this.#end.lost();
    }
    if (this.#isClosed) return;
    const delayMs = RETRY_MS[Math.min(this.#tries, RETRY_MS.length - 1)];
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#connect(), delayMs);
  }
  #heard(wire: Wire<Out | Hello>, frame: In): void {
    if (isHello(frame)) this.#welcomed(wire, frame);
    else if (this.#wire === wire) this.#end.heard(frame as Exclude<In, Hello>, (answer) => wire.send(answer));
  }
  #welcomed(wire: Wire<Out | Hello>, hello: Extract<In, Hello>): void {
    const { name, protocol, met } = this.#end;
    if (hello.protocol !== protocol) {
      this.#first.reject(new Error(`The ${name} speaks protocol ${hello.protocol}, this engine ${protocol}.`));
      wire.end();
      return;
    }
    this.#tries = 0;
    this.#wire = wire;
    met(hello);
    this.#first.resolve();
  }
}

function isHello<In extends { readonly frame: string }>(frame: In): frame is Extract<In, Hello> {
  return frame.frame === "hello";
}
