import { openWireAt } from "./beat.ts";
import type { Wire } from "./framing.ts";
import { isFar, nameOf, type Place } from "./place.ts";
import { dial } from "./secure.ts";

const FIRST_WAIT_MS = 10_000;
const RETRY_MS = [20, 50, 100, 250] as const;
/** Of a machine that is gone nobody says so; many others may be asked meanwhile. */
const FAR_RETRY_MS = [...RETRY_MS, 500, 1_000] as const;

/** What both sides say first. */
interface Hello {
  readonly frame: "hello";
  readonly protocol: number;
}
/** It is about to end in order: what it has comes to its end, and it is to be given nothing new. */
export interface Draining {
  readonly frame: "draining";
}
/** Said by the other end about what it does; the line hears the rest itself. */
type Said<In> = Exclude<In, Hello | Draining>;
/** The other end: a supervisor at a place, that says `hello` with its protocol's number before anything else. */
export interface OtherEnd<Out extends { readonly frame: string }, In extends { readonly frame: string }> {
  readonly place: Place;
  /** As messages call it: "No … answers". */
  readonly name: string;
  readonly protocol: number;
  readonly maxBytes: number;
  readonly parse: (value: unknown) => In;
  /** It is there, from its first frame on and after each restart; what is sent from here on reaches it. */
  readonly met: (hello: Extract<In, Hello>) => void;
  /** `answer` sends to the very process that said it: nothing of it reaches one that was started since. */
  readonly heard: (frame: Said<In>, answer: (frame: Out) => void) => void;
  /** It was there and is not any more; until it is met again nothing is sent. */
  readonly lost: () => void;
  /** `isDraining` has become true. */
  readonly drains?: () => void;
}

/** A connection that is made anew whenever the other end was restarted. */
export class Line<Out extends { readonly frame: string }, In extends { readonly frame: string }> {
  readonly #end: OtherEnd<Out, In>;
  readonly #first = Promise.withResolvers<void>();
  #wire: Wire<Out | Hello> | undefined;
  #isClosed = false;
  #isDraining = false;
  #complaint: string | null = null;
  #tries = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(end: OtherEnd<Out, In>) {
    this.#end = end;
    // Whoever never asks for `opened` is told by `complaint`.
    this.#first.promise.catch(() => undefined);
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#wire !== undefined;
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }
  /** The other end is there and is about to end; one that is started in its place is not. */
  get isDraining(): boolean {
    return this.#isDraining;
  }
  /** Why the other end is not there, in words that end a sentence; null while it is. Holds no secret. */
  get complaint(): string | null {
    return this.isOpen ? null : (this.#complaint ?? `${this.#where()} has not answered`);
  }
  /** Resolves when the other end was met. Rejects, and closes, when there is none within ten seconds or it speaks another protocol. */
  async opened(): Promise<void> {
    const timer = setTimeout(
      () => this.#first.reject(new Error(`No ${this.#end.name} answers at ${nameOf(this.#end.place)}.`)),
      FIRST_WAIT_MS,
    );
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
    const { place, maxBytes, parse, protocol } = this.#end;
    const stream = dial(place);
    stream.once("error", (error) => {
      this.#complaint = `${this.#where()} ${worded(error)}`;
    });
    const wire: Wire<Out | Hello> = openWireAt<Out | Hello, In>(place, stream, {
      maxBytes,
      parse,
      heard: (frame) => this.#heard(wire, frame),
      closed: () => this.#closed(wire),
    });
    wire.send({ frame: "hello", protocol });
  }
  #where(): string {
    return `the ${this.#end.name} at ${nameOf(this.#end.place)}`;
  }
  #closed(wire: Wire<Out | Hello>): void {
    if (this.#wire === wire) {
      this.#wire = undefined;
      this.#isDraining = false;
      this.#end.lost();
    }
    if (this.#isClosed) return;
    const waits = isFar(this.#end.place) ? FAR_RETRY_MS : RETRY_MS;
    const delayMs = waits[Math.min(this.#tries, waits.length - 1)];
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#connect(), delayMs);
  }
  #heard(wire: Wire<Out | Hello>, frame: In): void {
    if (isHello(frame)) this.#welcomed(wire, frame);
    else if (this.#wire !== wire) return;
    else if (frame.frame === "draining") this.#drains();
    else this.#end.heard(frame as Said<In>, (answer) => wire.send(answer));
  }
  #drains(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#end.drains?.();
  }
  #welcomed(wire: Wire<Out | Hello>, hello: Extract<In, Hello>): void {
    const { name, protocol, met } = this.#end;
    if (hello.protocol !== protocol) {
      this.#complaint = `${this.#where()} speaks protocol ${hello.protocol}, this engine ${protocol}`;
      this.#first.reject(new Error(`The ${name} speaks protocol ${hello.protocol}, this engine ${protocol}.`));
      wire.end();
      return;
    }
    this.#tries = 0;
    this.#complaint = null;
    this.#wire = wire;
    met(hello);
    this.#first.resolve();
  }
}

function isHello<In extends { readonly frame: string }>(frame: In): frame is Extract<In, Hello> {
  return frame.frame === "hello";
}
/** What a handshake ends with is OpenSSL's; that the secrets differ is what it nearly always means. */
function worded(error: Error): string {
  const code = "code" in error ? String(error.code) : error.name;
  return code === "EPROTO" || code.startsWith("ERR_SSL_") ? `does not take this process's secret (${code})` : `cannot be reached (${code})`;
}
