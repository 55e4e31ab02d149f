import { Line, type Member, type Place } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Release } from "./door.ts";
import { type AttachedFrame, type FoundFrame, type FromHost, type PerformedFrame, PROTOCOL, type ToHost } from "./frames.ts";
import { parseFromHost } from "./parse.ts";
import type { ReachOptions } from "./question.ts";

export type Answer = PerformedFrame | AttachedFrame | FoundFrame;
/** What a link says of the host at its other end, which `link.host` names until another is met. */
export interface LinkEvents {
  readonly met: (link: Link) => void;
  /** Whether that was waited for. */
  readonly answered: (link: Link, answer: Answer) => boolean;
  /** It takes nothing more; what it has not answered it did not take, and never will. */
  readonly closing: (link: Link) => void;
  readonly lost: (link: Link) => void;
}

/** One line from an engine to one address of a plugin host, whichever process is there. */
export class Link implements Member {
  readonly #line: Line<ToHost, FromHost>;
  readonly #events: LinkEvents;
  readonly #options: Required<ReachOptions>;
  readonly #clock: NodeJS.Timeout;
  #host = "";
  #isClosing = false;

  constructor(place: Place, options: Required<ReachOptions>, events: LinkEvents) {
    this.#events = events;
    this.#options = options;
    this.#line = new Line<ToHost, FromHost>({
      ...{ place, name: "plugin host", protocol: PROTOCOL, maxBytes: BOUNDS.frameBytes, parse: parseFromHost },
      met: ({ host }) => this.#met(host),
      heard: (frame, answer) => this.#heard(frame, answer),
      lost: () => events.lost(this),
    });
    this.#clock = setInterval(() => this.#tellTime(), BOUNDS.clockEveryMs).unref();
  }

  /** Of the process that is there, or was last. */
  get host(): string {
    return this.#host;
  }
  /** It is there and takes what it is sent. */
  get isOpen(): boolean {
    return this.#line.isOpen && !this.#isClosing;
  }
  get isDraining(): boolean {
    return this.#line.isDraining;
  }
  /** It has said that it ends now. */
  get isEnding(): boolean {
    return this.#isClosing;
  }
  get isClosed(): boolean {
    return this.#line.isClosed;
  }
  /** Why it is not there, in words that end a sentence; null while it is. */
  get complaint(): string | null {
    return this.#line.complaint;
  }
  opened(): Promise<void> {
    return this.#line.opened();
  }
  send(frame: ToHost): void {
    if (this.isOpen) this.#line.send(frame);
  }
  close(): void {
    clearInterval(this.#clock);
    this.#line.close();
  }

  #met(host: string): void {
    this.#host = host;
    this.#isClosing = false;
    this.#tellTime();
    this.#events.met(this);
  }
  #tellTime(): void {
    const now = this.#options.now();
    if (now !== null) this.send({ frame: "clock", now });
  }
  #heard(frame: Exclude<FromHost, { readonly frame: "hello" | "draining" }>, answer: (frame: ToHost) => void): void {
    if (frame.frame === "wanted") void this.#serve(frame.digest, answer);
    else if (frame.frame === "closing") {
      this.#isClosing = true;
      this.#events.closing(this);
    } else if (this.#events.answered(this, frame) && frame.frame !== "found") answer({ frame: "heard", id: frame.id });
  }

  async #serve(digest: string, answer: (frame: ToHost) => void): Promise<void> {
    const release = await this.#options.release(digest).catch(() => undefined);
    if (release === undefined) answer({ frame: "absent", digest, reason: "unavailable" });
    else if (release === null || tooLarge(release)) answer({ frame: "absent", digest, reason: "unknown" });
    else {
      const { manifest, artefact } = release;
      answer({ frame: "release", digest, manifest, artefactBytes: artefact.length });
      for (let from = 0; from < artefact.length; from += BOUNDS.pieceBytes) {
        const base64 = Buffer.from(artefact.subarray(from, from + BOUNDS.pieceBytes)).toString("base64");
        answer({ frame: "piece", digest, base64 });
      }
    }
  }
}

const tooLarge = ({ manifest, artefact }: Release): boolean =>
  artefact.length > BOUNDS.artefactBytes || Buffer.byteLength(manifest) > BOUNDS.manifestBytes;
