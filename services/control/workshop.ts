import { Worker } from "node:worker_threads";
import type { Said } from "./compile-thread.ts";
import { type Compiling, compileFiles, type Made } from "./compiling.ts";
import { ApiError } from "./errors.ts";
import { TooLong } from "./project.ts";

/** Up to so many characters are judged at once, where they came in. */
const INLINE_CHARS = 65_536;
/** Nothing that may be sent takes nearly so long: what does is given up. */
const JUDGING_MS = 60_000;
/** A thread that has nothing to do for so long ends. */
const IDLE_MS = 60_000;

/** Compiles what was sent. Rejects with WOML_SOURCES_INVALID where documents import too much, or it takes too long. */
export async function compiled(asked: Compiling): Promise<Made> {
  const chars = asked.files.reduce((sum, { text }) => sum + text.length, 0);
  try {
    return chars <= INLINE_CHARS ? await compileFiles(asked) : await workshop.make(asked);
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    const message = "what the documents import is too long: check fewer of them at once";
    throw new ApiError("WOML_SOURCES_INVALID", message, { limit: error.limit });
  }
}

/** One thread, which is started when something is made in it and takes one thing after the other: large bodies pass one at a time (lane.ts). */
export class Workshop {
  readonly #entry: URL;
  readonly #limitMs: number;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #asked: PromiseWithResolvers<Said> | undefined;
  #line: Promise<unknown> = Promise.resolve();

  constructor(entry: URL, limitMs: number) {
    this.#entry = entry;
    this.#limitMs = limitMs;
  }

  make(asked: Compiling): Promise<Made> {
    const made = this.#line.then(() => this.#make(asked));
    this.#line = made.catch(() => undefined);
    return made;
  }

  async #make(asked: Compiling): Promise<Made> {
    clearTimeout(this.#idle);
    const thread = this.#thread ?? this.#open();
    this.#thread = thread;
    this.#asked = Promise.withResolvers<Said>();
    const late = setTimeout(() => void thread.terminate(), this.#limitMs);
    thread.postMessage(asked);
    try {
      return told(await this.#asked.promise);
    } finally {
      clearTimeout(late);
      this.#idle = setTimeout(() => this.#close(thread), IDLE_MS).unref();
    }
  }
  #open(): Worker {
    const thread = new Worker(this.#entry, { execArgv: ["--disable-warning=ExperimentalWarning"] });
    const gone = (): void => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      const message = "these files take more time or memory to judge than there is: send fewer of them at once";
      this.#asked?.reject(new ApiError("WOML_SOURCES_INVALID", message));
    };
    thread
      .on("message", (said: Said) => this.#asked?.resolve(said))
      .on("error", gone)
      .on("exit", gone);
    // Whoever asked is waited for by his request; the thread alone holds no process.
    thread.unref();
    return thread;
  }
  #close(thread: Worker): void {
    if (this.#thread === thread) this.#thread = null;
    void thread.terminate();
  }
}

function told(said: Said): Made {
  if ("made" in said) return said.made;
  throw "tooLong" in said ? new TooLong(said.tooLong) : new Error(said.fault);
}

const workshop = new Workshop(new URL("./compile-thread.ts", import.meta.url), JUDGING_MS);
