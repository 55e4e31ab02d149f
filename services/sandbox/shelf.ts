import { BOUNDS } from "./bounds.ts";
import type { Import, Module } from "./frames.ts";

/** A module as it is handed on, with its text. */
export interface Text {
  readonly digest: string;
  readonly text: string;
}

/**
 * The modules that one end of a line has, or knows the other end to have: where there is no room for a new one the oldest go. Both ends put the
 * same in the same order, which is that of the frames, so that whoever sends knows what is there.
 */
export class Shelf<T> {
  readonly #kept = new Map<string, { readonly item: T; readonly bytes: number }>();
  #bytes = 0;

  get(digest: string): T | undefined {
    return this.#kept.get(digest)?.item;
  }
  /** How long it is, if it is here. */
  bytesOf(digest: string): number | undefined {
    return this.#kept.get(digest)?.bytes;
  }
  put({ digest, text }: Text, item: T): void {
    if (this.#kept.has(digest)) return;
    const bytes = Buffer.byteLength(text);
    this.#kept.set(digest, { item, bytes });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= BOUNDS.modules && this.#bytes <= BOUNDS.modulesBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= kept.bytes;
    }
  }
}

/** Sends what the other end does not have. What is put last may push out what was there, so that it is looked at again until all of it is. */
export function supply(shelf: Shelf<true>, texts: readonly Text[], send: (frame: Module) => void): void {
  const absent = (): Text | undefined => texts.find(({ digest }) => shelf.get(digest) === undefined);
  for (let next = absent(); next !== undefined; next = absent()) {
    shelf.put(next, true);
    send({ frame: "module", digest: next.digest, text: next.text });
  }
}

/** The modules of a script, each once; undefined when one is not there. */
export function textsOf(shelf: Shelf<string>, modules: readonly Import[] = []): readonly Text[] | undefined {
  const texts = new Map<string, Text>();
  for (const { digest } of modules) {
    const text = shelf.get(digest);
    if (text === undefined) return undefined;
    texts.set(digest, { digest, text });
  }
  return [...texts.values()];
}

/** Why these cannot go over a line together; undefined when they can. */
export function tooMuch(shelf: Shelf<unknown>, modules: readonly Text[]): string | undefined {
  const bytes = new Map(modules.map(({ digest, text }) => [digest, shelf.bytesOf(digest) ?? Buffer.byteLength(text)]));
  if (bytes.values().some((one) => one > BOUNDS.moduleBytes)) return `has a module of more than ${BOUNDS.moduleBytes} bytes`;
  const all = bytes.values().reduce((sum, one) => sum + one, 0);
  return all > BOUNDS.modulesBytes ? `has modules of more than ${BOUNDS.modulesBytes} bytes` : undefined;
}
