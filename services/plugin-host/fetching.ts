import { BOUNDS } from "./bounds.ts";
import type { Release } from "./door.ts";
import type { Absent, Piece, ReleaseHead } from "./frames.ts";

interface Wanted {
  readonly resolve: (release: Release | null) => void;
  readonly reject: (why: Error) => void;
  readonly timer: NodeJS.Timeout;
  head?: ReleaseHead;
  pieces: Buffer[];
  bytes: number;
}

/** Releases that one engine was asked for, put together from its pieces. What was not asked for is a breach, said in words. */
export class Fetching {
  readonly #want: (digest: string) => void;
  readonly #wanted = new Map<string, Wanted>();
  #over = false;

  constructor(want: (digest: string) => void) {
    this.#want = want;
  }

  /** Null: the engine does not know it. Rejects when it does not tell in time, or has gone. */
  fetch(digest: string): Promise<Release | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Release | null>();
    if (this.#over || this.#wanted.has(digest)) return Promise.reject(new Error("It cannot be asked."));
    const timer = setTimeout(() => this.#fail(digest, "The engine did not send it in time."), BOUNDS.wantedMs);
    this.#wanted.set(digest, { resolve, reject, timer, pieces: [], bytes: 0 });
    this.#want(digest);
    return promise;
  }

  heard(frame: ReleaseHead | Piece | Absent): string | undefined {
    const wanted = this.#wanted.get(frame.digest);
    // It may have come too late.
    if (wanted === undefined) return undefined;
    if (frame.frame === "absent") {
      if (frame.reason === "unavailable") this.#fail(frame.digest, "The engine cannot tell.");
      else this.#done(frame.digest, wanted, null);
      return undefined;
    }
    if (frame.frame === "release") {
      if (wanted.head !== undefined) return "it sent a release twice";
      wanted.head = frame;
    } else {
      const piece = Buffer.from(frame.base64, "base64");
      wanted.pieces.push(piece);
      wanted.bytes += piece.length;
    }
    return this.#look(frame.digest, wanted);
  }
  /** The engine has gone. */
  close(): void {
    this.#over = true;
    for (const digest of this.#wanted.keys()) this.#fail(digest, "The engine has gone.");
  }

  #look(digest: string, wanted: Wanted): string | undefined {
    if (wanted.head === undefined) return "it sent a piece before its release";
    const { artefactBytes, manifest } = wanted.head;
    if (wanted.bytes > artefactBytes) return "it sent more than the release has";
    if (wanted.bytes === artefactBytes) this.#done(digest, wanted, { digest, manifest, artefact: Buffer.concat(wanted.pieces) });
    return undefined;
  }
  #done(digest: string, { resolve, timer }: Wanted, release: Release | null): void {
    clearTimeout(timer);
    this.#wanted.delete(digest);
    resolve(release);
  }
  #fail(digest: string, why: string): void {
    const wanted = this.#wanted.get(digest);
    clearTimeout(wanted?.timer);
    this.#wanted.delete(digest);
    wanted?.reject(new Error(why));
  }
}
